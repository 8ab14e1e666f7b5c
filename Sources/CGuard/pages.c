// Which page of the trees is not as the library wrote it? Asked in a signal, when the library went astray and nobody knows
// where: it does not check the heads of pages, and follows what they say into any memory.
//
// page    number u64 | u16 | flags u16 | lower u16 | upper u16 | offsets of nodes u16 …
// node    low u16 | high u16 | flags u16 | bytes of the key u16 | key | value, where it is short
//
// Source: lmdb, mdb.c: MDB_page, MDB_node, MDB_db (format version 1, little-endian, 64 bits).
#include "pages.h"

#include <string.h>

enum { HEADER = 16, NODE = 8, BRANCH = 1, LEAF = 2, APART = 4, KINDS = 0x7F, VALUE_APART = 1, VALUE_TREE = 2 };
enum { DEPTH_MAX = 64, LAST_PAGE = 136, COMMIT = 144, FREE_ROOT = 80, MAIN_ROOT = 128, TREE_ROOT = 40, TREE = 48 };

struct pages {
  const unsigned char *map;
  size_t size, last;
};

struct place {
  uint64_t page;
  size_t next;
};

static uint64_t number(const unsigned char *at, size_t bytes) {
  uint64_t value = 0;
  for (size_t index = bytes; index > 0; index--) value = value << 8 | at[index - 1];
  return value;
}

static int is_page(const struct pages *pages, uint64_t page) { return page >= 2 && page <= pages->last; }

static const unsigned char *start(const struct pages *pages, uint64_t page) { return pages->map + page * pages->size; }

static size_t node_count(const unsigned char *page) { return (size_t)(number(page + 12, 2) - HEADER) / 2; }

static int is_value_apart(const struct pages *pages, const unsigned char *data, uint64_t bytes) {
  uint64_t page = number(data, 8);
  if (!is_page(pages, page)) return 0;
  const unsigned char *first = start(pages, page);
  uint64_t count = number(first + 12, 4);
  return number(first, 8) == page && (number(first + 10, 2) & KINDS) == APART && count > 0 &&
         count <= pages->last - page + 1 && bytes + HEADER <= count * pages->size;
}

// The page that a node leads to, 0 for none; `is_sound` tells whether the node is one.
static uint64_t child(const struct pages *pages, const unsigned char *page, size_t index, int *is_sound) {
  *is_sound = 0;
  size_t offset = (size_t)number(page + HEADER + 2 * index, 2);
  if (offset < number(page + 14, 2) || offset + NODE > pages->size) return 0;
  const unsigned char *node = page + offset;
  uint64_t low = number(node, 4), flags = number(node + 4, 2);
  size_t end = offset + NODE + (size_t)number(node + 6, 2);
  if (end > pages->size) return 0;
  if ((number(page + 10, 2) & KINDS) == BRANCH) {
    uint64_t page_number = low | flags << 32;
    *is_sound = is_page(pages, page_number);
    return page_number;
  }
  const unsigned char *data = page + end;
  if (flags & VALUE_APART) {
    *is_sound = end + 8 <= pages->size && is_value_apart(pages, data, low);
    return 0;
  }
  if (end + low > pages->size) return 0;
  *is_sound = 1;
  if (!(flags & VALUE_TREE)) return 0;
  uint64_t root = low >= TREE ? number(data + TREE_ROOT, 8) : 0;
  if (root == UINT64_MAX) return 0;
  *is_sound = is_page(pages, root);
  return root;
}

static int is_sound_head(const struct pages *pages, uint64_t page) {
  const unsigned char *bytes = start(pages, page);
  uint64_t kind = number(bytes + 10, 2) & KINDS, lower = number(bytes + 12, 2), upper = number(bytes + 14, 2);
  return number(bytes, 8) == page && (kind == BRANCH || kind == LEAF) && lower >= HEADER && lower % 2 == 0 &&
         lower <= upper && upper <= pages->size;
}

static uint64_t bad_page(const struct pages *pages, uint64_t root) {
  struct place path[DEPTH_MAX];
  size_t depth = 0, visits = 0;
  if (root == UINT64_MAX) return 0;
  if (!is_page(pages, root) || !is_sound_head(pages, root)) return root;
  path[depth++] = (struct place){root, 0};
  while (depth > 0) {
    struct place *place = &path[depth - 1];
    const unsigned char *page = start(pages, place->page);
    if (place->next == node_count(page)) {
      depth--;
      continue;
    }
    int is_sound;
    uint64_t next = child(pages, page, place->next++, &is_sound);
    // More visits than pages have nodes: trees that share pages could be walked for ever.
    if (!is_sound || ++visits > 2048 * pages->last) return place->page;
    if (next == 0) continue;
    if (depth == DEPTH_MAX || !is_sound_head(pages, next)) return next;
    path[depth++] = (struct place){next, 0};
  }
  return 0;
}

size_t docstore_bad_page(const void *map, size_t bytes, size_t page_size) {
  const unsigned char *first = map, *second = first + page_size;
  const unsigned char *head = number(first + COMMIT, 8) > number(second + COMMIT, 8) ? first : second;
  struct pages pages = {map, page_size, (size_t)number(head + LAST_PAGE, 8)};
  if (pages.last >= bytes / page_size) return 0;
  uint64_t found = bad_page(&pages, number(head + FREE_ROOT, 8));
  return (size_t)(found ? found : bad_page(&pages, number(head + MAIN_ROOT, 8)));
}
