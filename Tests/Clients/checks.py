"""What the client scripts share: registering checks, running them, the closing line, calls as an end user.

A check is a function with plain asserts. Each prints one line; the script ends with `N passed, M failed` and exit code 0 or 1.
"""
import base64
import json
import sys
import time
import traceback
import uuid


class Checks:
    """A list of named checks, in the order in which they were written."""

    def __init__(self):
        self.entries = []

    def __call__(self, name):
        def register(function):
            self.entries.append((name, function))
            return function
        return register

    def run(self, *arguments):
        """Calls every check with the arguments; returns (passed, failed)."""
        passed = failed = 0
        for name, function in self.entries:
            try:
                function(*arguments)
            except Exception as error:  # whatever a client throws is a failed check, and the next one still runs
                failed += 1
                print(f"FAILED  {name}: {describe(error)}", flush=True)
            else:
                passed += 1
                print(f"ok      {name}", flush=True)
        return passed, failed


def describe(error):
    """One line: the kind of error, its text, and the line of the check where it happened."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/site-packages/" not in frame.filename]
    where = f" ({frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}: {frames[-1].line})" if frames else ""
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0][:300] if str(error) else ''}{where}"


def close(results):
    """Prints the closing line over all (passed, failed) pairs and ends the program."""
    passed = sum(pair[0] for pair in results)
    failed = sum(pair[1] for pair in results)
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if failed == 0 and passed > 0 else 1)


def raises(kind, function, *arguments, **keywords):
    """Asserts that the call raises that kind of error, and returns the error."""
    try:
        function(*arguments, **keywords)
    except kind as error:
        return error
    kinds = kind if isinstance(kind, tuple) else (kind,)
    raise AssertionError(f"no {' or '.join(k.__name__ for k in kinds)} was raised")


def fresh(prefix):
    """A name that no other check and no other run uses."""
    return f"{prefix}_{uuid.uuid4().hex[:12]}"


def unsigned_token(uid, project, **claims):
    """A bearer token as a client library makes it for an emulator: a JWT without signature."""
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    now = int(time.time())
    payload = {
        "iss": f"https://securetoken.google.com/{project}", "aud": project, "sub": uid, "user_id": uid,
        "iat": now, "exp": now + 3600, "auth_time": now,
        "firebase": {"identities": {}, "sign_in_provider": "password"}, **claims,
    }
    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(payload)}."
