#!/usr/bin/env python3
"""The streams of a page without any SDK: recorded exchanges, spoken by a page of our own in Chromium. Run by
Scripts/browser --recorded.

    webchannel.py [--server HOST:PORT | --serve 'COMMAND with PORT'] [--official] [--only REGEX]

The checks are in webchannel.js. The pages are of another origin than the server, as every page is.
"""
import functools

from browser import BrowserChecks, Session, arguments, opened
from checks import close

# What the official emulator (1.19) answers otherwise, and why we do not.
OFFICIAL = {
    "a thousand documents: each array one message, no id left out":
        "on a busy machine the answer ends with 198 of 1,000 documents, or without a byte",
    "long polling: TO says how long a response waits": "ignores TO; the SDK's experimentalLongPollingOptions would do nothing",
    "forward: unknown fields are ignored": "never answers; a newer SDK's request must not end an older server's session",
    "forward: what is no JSON is 400": "never answers; the client would wait for ever",
    "an unknown session: the body says Unknown SID, not at its beginning":
        "an empty body, which the SDK takes for a broken network: it asks google.com and waits before it tries again",
    "frames are ASCII": "UTF-8, which a browser may cut inside a character",
    "who is there: a broken token is an error message, not an error of HTTP": "never answers",
    "a target that nobody understands costs that target only": "ends the session",
    "an idle response: a sign of life in time, a clean end, and the next one goes on": "sends nothing, so clients give up after 45 s",
}
# Pages at this name too: what is cached or allowed for one origin says nothing of another.
ELSEWHERE = ("handshake", "streaming: the first", "terminate by send", "an unknown session: every", "credentials")
IDLE = "an idle response: a sign of life in time, a clean end, and the next one goes on"
check = BrowserChecks()


def in_page(name, host, session, server):
    session.page(host=host).evaluate("name => t.run(name)", name)


@check("headers: origin echoed, credentials allowed, nothing cached or packed")
def headers(session, server):
    stream = "google.firestore.v1.Firestore/Listen/channel?VER=8&database=projects%2Fdemo-webchannel%2Fdatabases%2F(default)"
    origin = {"Origin": "http://somewhere.example:81", "Accept-Encoding": "gzip, deflate, br"}
    status, got, body = server.call("POST", f"{stream}&RID=1&CVER=22&t=1", "count=0", {
        **origin, "Content-Type": "application/x-www-form-urlencoded"})
    assert status == 200, status
    sid = body.split(b'"')[3].decode()
    answers = {"handshake": got}
    for what, method, query in (("back channel", "GET", f"RID=rpc&SID={sid.replace('=', '%3D')}&AID=0&CI=1&TYPE=xmlhttp&TO=5000"),
                                ("unknown session", "GET", "RID=rpc&SID=none&AID=0&CI=1&TYPE=xmlhttp")):
        if what == "back channel":
            # Something must be pending: a response without data waits.
            server.call("POST", f"{stream}&SID={sid.replace('=', '%3D')}&RID=2&AID=0", TARGET, {
                **origin, "Content-Type": "application/x-www-form-urlencoded"})
        answers[what] = server.call(method, f"{stream}&{query}", headers=origin)[1]
    for what, got in answers.items():
        assert got["Access-Control-Allow-Origin"] == origin["Origin"], f"{what}: {got.items()}"
        assert got["Access-Control-Allow-Credentials"] == "true", f"{what}: {got.items()}"
        assert "origin" in (got["Vary"] or "").lower(), f"{what}: {got.items()}"
        assert got["Content-Encoding"] is None, f"{what}: {got.items()}"
        # Officially an unknown session has no body, and no type.
        assert (got["Content-Type"] or "text/plain").startswith("text/plain"), f"{what}: {got.items()}"
    assert answers["back channel"]["X-Content-Type-Options"] == "nosniff"
    assert "max-age=0" in answers["back channel"]["Cache-Control"]
    status, got, _ = server.call("OPTIONS", f"{stream}&RID=1", headers={
        **origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-of-a-test"})
    assert status == 200 and "x-of-a-test" in got["Access-Control-Allow-Headers"].lower(), f"{status} {got.items()}"
    assert "POST" in got["Access-Control-Allow-Methods"] and got["Access-Control-Allow-Origin"] == origin["Origin"]


TARGET = ("count=1&ofs=0&req0___data__=%7B%22database%22%3A%22projects%2Fdemo-webchannel%2Fdatabases%2F(default)%22%2C%22addTarget%22"
          "%3A%7B%22documents%22%3A%7B%22documents%22%3A%5B%22projects%2Fdemo-webchannel%2Fdatabases%2F(default)%2Fdocuments%2Fc%2Fa"
          "%22%5D%7D%2C%22targetId%22%3A2%7D%7D")


def main():
    options = arguments(__doc__.splitlines()[0]).parse_args()
    with opened(options, {}) as (browser, site, server):
        # It takes a minute, so it runs beside the others.
        beside = Session(browser, site, server, "webchannel.html")
        page = beside.page()
        for name in page.evaluate("t.names"):
            # Chromium itself says in the console that an answer is 400.
            check(name, (r"status of 400",), official=OFFICIAL.get(name))(functools.partial(in_page, name, "127.0.0.1"))
            if name.startswith(ELSEWHERE):
                check(f"at localhost: {name}", (r"status of 400",))(functools.partial(in_page, name, "localhost"))
        page.evaluate("() => { t.idling = t.idle().then(() => '', (error) => `${error}`); }")

        @check(IDLE, official=OFFICIAL.get(IDLE))
        def idle(session, server):
            assert not (problem := page.evaluate("() => t.idling")), problem

        result = check.run(browser, site, server, "webchannel.html", options)
        beside.close()
    close([result])


main()
