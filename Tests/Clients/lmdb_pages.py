"""Which pages a data file has and what they are for: enough of LMDB's format to damage a chosen byte."""
import struct

PAGE = 4096
BRANCH, LEAF, OVERFLOW = 1, 2, 4
NONE = 2**64 - 1


def header(data, page):
    """(number, flags, lower, upper, pages of a value) of a page."""
    at = page * PAGE
    number, _, flags, lower, upper = struct.unpack_from("<QHHHH", data, at)
    return number, flags, lower, upper, struct.unpack_from("<I", data, at + 12)[0]


def metas(data):
    """(transaction, root of free pages, root of keyspaces) of both first pages."""
    found = []
    for page in (0, 1):
        at = page * PAGE + 16
        free = struct.unpack_from("<Q", data, at + 24 + 40)[0]
        main = struct.unpack_from("<Q", data, at + 24 + 48 + 40)[0]
        found.append((struct.unpack_from("<Q", data, at + 24 + 96 + 8)[0], free, main))
    return found


def nodes(data, page):
    """The nodes of a page of a tree: (offset of the key, bytes of the key, flags, offset of the value, low, high)."""
    _, _, lower, _, _ = header(data, page)
    for index in range((lower - 16) // 2):
        at = page * PAGE + struct.unpack_from("<H", data, page * PAGE + 16 + index * 2)[0]
        low, high, flags, size = struct.unpack_from("<HHHH", data, at)
        yield at + 8, size, flags, at + 8 + size, low, high


class Pages:
    """The pages in use by kind, and the places of keys and values on leaves of documents' trees."""

    def __init__(self, data):
        self.data = data
        self.kinds = {"meta": [0, 1], "branch": [], "leaf": [], "value": [], "free list": []}
        self.keys, self.values = [], []
        _, free, main = max(metas(data))
        if free != NONE:
            self._walk(free, "free list")
        self._walk(main, None)

    def _walk(self, page, kind):
        _, flags, _, _, _ = header(self.data, page)
        if flags & BRANCH:
            self.kinds[kind or "branch"].append(page)
            for _, _, top, _, low, high in nodes(self.data, page):
                self._walk(low | high << 16 | top << 32, kind)
            return
        self.kinds[kind or "leaf"].append(page)
        for key, size, flags, value, low, high in nodes(self.data, page):
            length = low | high << 16
            if flags & 1:
                first = struct.unpack_from("<Q", self.data, value)[0]
                self.kinds[kind or "value"].extend(range(first, first + (length + 15) // PAGE + 1))
            elif flags & 2:
                root = struct.unpack_from("<Q", self.data, value + 40)[0]
                if root != NONE:
                    self._walk(root, kind)
                continue
            elif not kind and length:
                self.values.append((value, length))
            if not kind:
                self.keys.append((key, size))
