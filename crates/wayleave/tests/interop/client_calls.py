"""Makes every call of the client that is published as the Python package `crawlcheck`, as it is, against a demo.

Usage: client_calls.py BASE FOREIGN FORKED

BASE is the demo under test. FOREIGN is another one, with keys of its own. FORKED was BASE until a moment ago: it has
the same keys and another history since. All three are in front of the lab.

Prints a JSON object: for every check by its name, whether it holds and, if not, why.
"""
import asyncio
import concurrent.futures
import copy
import functools
import hashlib
import http.client
import http.server
import itertools
import json
import os
import sys
import threading
import time
import traceback
import urllib.parse

BASE, FOREIGN, FORKED = (argument.rstrip("/") for argument in sys.argv[1:4])


class Listener:
    """A server of our own on loopback; `answer(method, target, headers, body)` gives status, headers and body."""

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                length = int(self.headers.get("content-length") or 0)
                sent = self.rfile.read(length)
                status, headers, body = answer(self.command, self.path, dict(self.headers.items()), sent)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.base = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def ask(base, method, target, body=None):
    """One request to a demo, without the client."""
    split = urllib.parse.urlsplit(base)
    connection = http.client.HTTPConnection(split.hostname, split.port, timeout=60)
    headers = {"accept": "application/json"}
    if body is not None:
        headers["content-type"] = "application/json"
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, target, body, headers)
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


class Between(Listener):
    """Stands between a client and BASE. `change(method, path, sent, reply)` gives another reply, or None to let it
    through. What was asked for is written down."""

    def __init__(self, change=lambda *_: None):
        self.asked = []

        def answer(method, target, headers, body):
            self.asked.append((method, target))
            status, reply = ask(BASE, method, target, body or None)
            sent = json.loads(body) if body else None
            changed = change(method, target.split("?")[0], sent, copy.deepcopy(reply))
            reply = reply if changed is None else changed
            return status, {"content-type": "application/json"}, json.dumps(reply).encode()

        super().__init__(answer)


class Sites(Listener):
    """Plays sites of the lab towards the client: it is the proxy for http addresses. A page is (status, headers, text)."""

    def __init__(self):
        self.pages, self.visits = {}, []

        def answer(method, target, headers, body):
            names = {name.lower(): value for name, value in headers.items()}
            self.visits.append((method, target, names))
            status, more, text = self.pages.get(target, (404, {}, "Nothing here."))
            return status, {"content-type": "text/plain", **more}, text.encode()

        super().__init__(answer)


SITES = Sites()
# As a machine behind a proxy is set up; before the client makes its first request.
os.environ.update(http_proxy=SITES.base, no_proxy="127.0.0.1")
for name in ("HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "NO_PROXY"):
    os.environ.pop(name, None)

import crawlcheck  # noqa: E402
from crawlcheck import CrawlCheck, CrawlCheckError, RECEIPT_HEADER  # noqa: E402

# Whatever it asks there is refused by the system.
NOBODY = "http://127.0.0.1:9"
FAR = 4102444800000  # 2100, in milliseconds
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def client(**more):
    return CrawlCheck(**{"base": BASE, "timeout": 60, **more})


def must(holds, *said):
    if not holds:
        raise AssertionError(" ".join(json.dumps(one, default=str)[:600] for one in said) or "it does not hold")


def same(found, expected, *said):
    must(found == expected, "found", found, "expected", expected, *said)


def accepted(cc, document, *said):
    """By the keys that are published now, with every check of it passed."""
    result = cc.verify(document)
    must(result["accepted"] and result["verified"], document.get("kind"), result["checks"], *said)
    must(all(one["ok"] is True for one in result["checks"]), document.get("kind"), result["checks"])
    return result


def refused(expected, call, *arguments, **more):
    """The error that a call must end in: with a sentence and a code."""
    try:
        found = call(*arguments, **more)
    except CrawlCheckError as error:
        same(error.status, expected, error.body)
        must(isinstance(error.body.get("error"), str) and error.body.get("code"), error.body)
        return error.body
    raise AssertionError("not refused: %s" % json.dumps(found)[:300])


def decision(cc, domain, action="read", **more):
    receipt = cc.preflight(domain, action, **more)
    accepted(cc, receipt)
    holds, why = crawlcheck.check_decision(
        receipt, domain, action, nonce=more.get("nonce"), operation=more.get("operation")
    )
    must(holds, why)
    for name in ("meaning", "steps", "reason_codes", "alternatives", "assessed"):
        must(name in receipt, name)
    must(all(set(step) >= {"rule", "effect", "why"} for step in receipt["steps"]), receipt["steps"])
    return receipt


# Keys.


@check
def published_key_ids():
    cc = client()
    kids = cc.published_key_ids()
    same(len(set(kids)), 4)
    _, directory = ask(BASE, "GET", "/.well-known/http-message-signatures-directory")
    same(kids, [crawlcheck.key_id(key) for key in directory["keys"]])
    same(cc.published_key_ids(refresh=True), kids)


@check
def published_key_policy():
    cc = client()
    policy = cc.published_key_policy()
    purposes = sorted(key["purpose"] for key in policy["keys"].values())
    same(purposes, ["decisions", "documents", "log heads", "requests"])
    same((policy["rotation"], policy["source"]), (True, "online"))
    must(all(key["start"] is not None for key in policy["keys"].values()), policy)
    same(cc.published_key_policy(refresh=True)["kids"], policy["kids"])


# Resolve.


@check
def resolve():
    cc = client()
    answer = cc.resolve("open.lab")
    same((answer["kind"], answer["domain"]), ("crawlcheck-resolve", "open.lab"))
    ids = {one["id"] for one in accepted(cc, answer)["checks"]}
    must({"log_leaf", "log_inclusion", "log_head_signature", "key_published", "key_purpose"} <= ids, sorted(ids))
    for action in crawlcheck.ACTIONS:
        must(answer["actions"][action]["decision"] in ("allow", "warn", "require_confirmation", "block", "unsupported"))
    same(cc.resolve("https://www.OPEN.lab/page?x=1")["sha256"], answer["sha256"])


@check
def resolve_keeps_the_head():
    cc = client()
    answer = cc.resolve("business.lab")
    batch = answer["transparency"]["batch"]
    same(cc.log["heads"][str(batch)]["sha256"], answer["transparency"]["sth"]["sha256"])
    same((cc.log["log_id"], cc.log["forks"]), ("crawlcheck-resolve-log-v1", []))


@check
def resolve_refuses_bad_names():
    cc = client()
    for name in ("10.0.0.1", "localhost", "", "no_domain", "open.lab:22:22"):
        refused(400, cc.resolve, name)


@check
def resolve_for_asks_the_network():
    cc = client()
    found = cc.resolve_for("open.lab")
    same((found["source"], found["staple"]), ("network", None))
    same(found["decisions"], {k: found["answer"]["actions"][k]["decision"] for k in found["decisions"]})
    accepted(cc, found["answer"])


def staple(domain, base=BASE):
    client(base=base).resolve(domain)
    status, record = ask(base, "GET", "/api/v1/staple?domain=" + domain)
    same(status, 200, record)
    return record


@check
def resolve_for_takes_a_staple():
    cc = client()
    cc.published_key_ids()
    record = staple("open.lab")
    # From here on nobody can be asked.
    cc.base = NOBODY
    for given in ({"staple": record["staple"]}, {"headers": {"crawlCHECK-staple": record["staple"]}}):
        found = cc.resolve_for("https://www.open.lab/", **given)
        same((found["source"], found["decisions"]), ("staple", record["decisions"]))


@check
def resolve_for_leaves_a_bad_staple_aside():
    cc = client()
    good = staple("open.lab")["staple"]
    loosened = staple("minimal.lab")["staple"].replace("connect=unsupported", "connect=allow")
    for domain, record in (("minimal.lab", good), ("minimal.lab", loosened), ("open.lab", "v=ccr1;d=open.lab")):
        found = cc.resolve_for(domain, staple=record)
        same((found["source"], found["staple"]["valid"]), ("network", False))
        same(found["answer"]["domain"], domain)
        accepted(cc, found["answer"])


@check
def resolve_batch():
    cc = client()
    names = ["minimal.lab", "open.lab", "robots-closed.lab", "open.lab"]
    answers = cc.resolve_batch(names)["answers"]
    same([answer["domain"] for answer in answers], names)
    for answer in answers:
        accepted(cc, answer)
        must(str(answer["transparency"]["batch"]) in cc.log["heads"])
    mixed = cc.resolve_batch(["open.lab", "10.0.0.1", "minimal.lab"])
    same([answer["domain"] for answer in mixed["answers"]], ["open.lab", "minimal.lab"])
    same([(error["index"], error["code"]) for error in mixed["errors"]], [(1, "bad_domain")])
    accepted(cc, mixed)
    many = cc.resolve_batch(["open.lab"] * 100)
    same(len(many["answers"]), 100)
    refused(400, cc.resolve_batch, [])
    refused(400, cc.resolve_batch, ["open.lab"] * 101)


@check
def resolve_private():
    client().resolve("open.lab")
    between = Between()
    cc = client(base=between.base)
    found = cc.resolve_private("https://www.open.lab/")
    same((found["found"], found["ready"], found["accepted"]), (True, True, True), found["verification"])
    same(found["answer"]["domain"], "open.lab")
    must(found["in_bucket"] >= 1)
    digest = hashlib.sha256(b"open.lab").hexdigest()
    buckets = [target for _, target in between.asked if "resolve-prefix" in target]
    same(buckets, ["/api/v1/resolve-prefix/" + digest[:2]])
    must(not any("open.lab" in target for _, target in between.asked), between.asked)
    for length in range(2, 9):
        must(cc.resolve_private("open.lab", prefix_len=length)["accepted"], length)


@check
def resolve_private_knows_what_it_does_not_know():
    found = client().resolve_private("never-asked-about.lab", prefix_len=8)
    same((found["found"], found["ready"], found["in_bucket"]), (False, True, 0))


@check
def resolve_private_goes_on_where_a_bucket_is_full():
    digest = lambda name: hashlib.sha256(name.encode()).hexdigest()  # noqa: E731
    names = ("unheard-of-%d.lab" % number for number in itertools.count())
    names = list(itertools.islice((name for name in names if digest(name).startswith("7f")), 101))
    cc = client()
    same(len(cc.resolve_batch(names[:100])["answers"]), 100)
    cc.resolve(names[100])
    between = Between()
    cc.base = between.base
    found = cc.resolve_private(names[50])
    same((found["found"], found["accepted"]), (True, True), found)
    must(found["in_bucket"] <= 100)
    buckets = [target for _, target in between.asked if "resolve-prefix" in target]
    same(buckets, ["/api/v1/resolve-prefix/7f", "/api/v1/resolve-prefix/" + digest(names[50])[:3]])


@check
def private_lookups():
    client().resolve("business.lab")
    between = Between()
    cc = client(base=between.base, private_lookups=True)
    answer = cc.resolve("business.lab")
    accepted(cc, answer)
    must(str(answer["transparency"]["batch"]) in cc.log["heads"])
    found = cc.resolve_for("business.lab")
    same((found["source"], found["decisions"]["read"]), ("network", "allow"))
    try:
        cc.resolve("never-asked-about.lab")
        raise AssertionError("it was found")
    except CrawlCheckError as error:
        same(error.status, 404)
    must(not any(".lab" in target for _, target in between.asked), between.asked)


# Preflight.


@check
def preflight_each_action():
    cc = client()
    lives = {}
    for action in crawlcheck.ACTIONS:
        receipt = decision(cc, "open.lab", action)
        lives[action] = receipt["decision"]
    same(lives["read"], "allow")
    same(lives["administer"], "block")
    must(lives["transact"] != "allow", lives)


@check
def preflight_each_template():
    cc = client()
    made_for = {
        "safe_citation": "cite",
        "safe_data_retrieval": "read",
        "safe_api_connect": "connect",
        "safe_mcp_tool": "connect",
        "safe_commerce": "transact",
        "safe_oauth": "connect",
        "support_escalation": "connect",
    }
    for template, action in made_for.items():
        plain, receipt = decision(cc, "open.lab", action), decision(cc, "open.lab", action, template=template)
        must(strictness(receipt) >= strictness(plain), template)
        named = [step["rule"] for step in receipt["steps"] if "template." + template in step["rule"]]
        must(named, template, receipt["steps"])
        same(receipt["template"], template)
    # A purchase at a site that does not say whose it is.
    same(decision(cc, "minimal.lab", "transact", template="safe_commerce")["decision"], "block")
    same(decision(cc, "minimal.lab", "cite", template="safe_citation")["decision"], "require_confirmation")
    refused(400, cc.preflight, "open.lab", "read", template="safe_anything")


def strictness(receipt):
    return ("allow", "warn", "require_confirmation", "unsupported", "block").index(receipt["decision"])


@check
def preflight_each_policy():
    cc = client()
    for domain, policy, expected in (
        ("open.lab", {"max_age_hours": 24}, "allow"),
        ("open.lab", {"allow": ["open.lab"]}, "allow"),
        ("open.lab", {"allow": ["other.lab"]}, "block"),
        ("open.lab", {"allow": ["read"]}, "allow"),
        ("open.lab", {"deny": ["open.lab"]}, "block"),
        ("open.lab", {"deny": ["read"]}, "block"),
        ("open.lab", {"deny": ["transact"]}, "allow"),
        ("open.lab", {"human_approval": ["read"]}, "require_confirmation"),
        ("open.lab", {"require_entity": True}, "allow"),
        ("open.lab", {"on_warn": "block"}, "allow"),
        ("spa.lab", {}, "warn"),
        ("spa.lab", {"on_warn": "warn"}, "warn"),
        ("spa.lab", {"on_warn": "require_confirmation"}, "require_confirmation"),
        ("spa.lab", {"on_warn": "block"}, "block"),
        ("spa.lab", {"require_entity": True}, "require_confirmation"),
        # It can only tighten.
        ("robots-closed.lab", {"allow": ["robots-closed.lab", "read"]}, "block"),
    ):
        same(decision(cc, domain, policy=policy)["decision"], expected, domain, policy)
    for policy in ({"max_age_hours": 100000}, {"on_warn": "allow"}, {"allow": "open.lab"}, {"nothing": 1}):
        refused(400, cc.preflight, "open.lab", policy=policy)


@check
def preflight_for_an_agent():
    cc = client()
    same(decision(cc, "robots-no-ai.lab", agent="GPTBot")["decision"], "block")
    receipt = decision(cc, "open.lab", agent="GPTBot", nonce="n-1")
    same((receipt["decision"], receipt["nonce"]), ("allow", "n-1"))


@check
def preflight_gives_the_operation_back():
    cc = client()
    tool = {"name": "search", "description": "Finds things \u2014 \u00e4", "inputSchema": {"type": "object", "x": 1.5}}
    for operation in (
        {"method": "GET", "url": "https://open.lab/a?b=\u00fc"},
        crawlcheck.tool_operation(tool, scopes=["read:all"]),
        {"deep": {"z": [1, 2.5, 1e21, -0.0, True, None, "\u2028"], "a": {}}},
    ):
        receipt = decision(cc, "open.lab", operation=operation)
        same(crawlcheck.canon(receipt["operation"]), crawlcheck.canon(operation))
        other = dict(operation, more=1)
        holds, why = crawlcheck.check_decision(receipt, "open.lab", "read", operation=other)
        must(not holds and "another operation" in why[0], why)


@check
def preflight_judges_the_address_of_the_operation():
    cc = client()
    for path, expected in (
        ("/courses", "allow"),
        ("/private/x", "block"),
        ("/private/open", "allow"),
        ("/a.pdf", "block"),
        ("/courses?sort=name", "block"),
    ):
        operation = {"method": "GET", "url": "https://robots-wildcards.lab" + path}
        receipt = decision(cc, "robots-wildcards.lab", operation=operation)
        same((receipt["decision"], receipt["assessed"]["path"]), (expected, path.split("?")[0]))
        same(receipt["assessed"]["with_query"], "?" in path)


@check
def preflight_names_the_mcp_server():
    cc = client()
    mcp = {"url": "https://open.lab/mcp", "tools_sha256": "0" * 64}
    receipt = decision(cc, "open.lab", "connect", template="safe_mcp_tool", mcp=mcp)
    same(receipt["assessed"]["endpoint"], mcp["url"])
    must(receipt["decision"] in ("require_confirmation", "block", "unsupported"), receipt["decision"])


@check
def preflight_refuses_what_it_cannot_read():
    cc = client()
    refused(400, cc.preflight, "open.lab", "destroy")
    refused(400, cc.preflight, "10.0.0.1", "read")
    refused(400, cc.preflight, "open.lab", nonce="n" * 5000)


# Guard.


def guarded(cc, domain, action="read", **more):
    proceed, receipt = cc.guard(domain, action, **more)
    same((cc.last_guard["proceed"], cc.last_guard["domain"]), (proceed, domain))
    # Never for more than the one reason that a check is about.
    must(len(cc.last_guard["why"]) == (0 if proceed else 1), cc.last_guard["why"])
    return proceed, receipt, "".join(cc.last_guard["why"])


@check
def guard_allow():
    cc = client()
    proceed, receipt, why = guarded(cc, "open.lab", agent="GPTBot", template="safe_data_retrieval")
    same((proceed, receipt["decision"], why), (True, "allow", ""))


@check
def guard_warn():
    cc = client()
    proceed, receipt, why = guarded(cc, "spa.lab")
    same((proceed, receipt["decision"], why), (False, "warn", "decision is warn and allow_warn is not set"))
    same(guarded(cc, "spa.lab", allow_warn=True)[0], True)


@check
def guard_confirm():
    cc = client()
    proceed, receipt, why = guarded(cc, "open.lab", "transact")
    same((proceed, receipt["decision"]), (False, "require_confirmation"))
    must("no confirm was given" in why, why)
    shown = []
    same(guarded(cc, "open.lab", "transact", confirm=lambda receipt: shown.append(receipt) or True)[0], True)
    same([receipt["decision"] for receipt in shown], ["require_confirmation"])
    same(guarded(cc, "open.lab", "transact", confirm=lambda _: False)[0], False)
    same(guarded(cc, "open.lab", "transact", confirm=lambda _: 1 / 0)[0], False)


@check
def guard_block():
    cc = client()
    for domain, action, expected in (
        ("robots-closed.lab", "read", "block"),
        ("open.lab", "administer", "block"),
        ("minimal.lab", "connect", "unsupported"),
    ):
        proceed, receipt, why = guarded(cc, domain, action, allow_warn=True, confirm=lambda _: True)
        same((proceed, receipt["decision"], why), (False, expected, "decision is " + expected))


@check
def guard_expired():
    cc = client()
    proceed, _, why = guarded(cc, "open.lab", now=FAR)
    must(not proceed and why.startswith("expired at "), why)
    proceed, _, why = guarded(cc, "open.lab", now=0)
    must(not proceed and why.startswith("decided in the future"), why)
    # Just before its end, and just after it.
    for action, life in crawlcheck.ACTION_MAX_LIFETIME_S.items():
        now = time.time() * 1000
        why = guarded(cc, "open.lab", action, now=now + life * 1000 + crawlcheck.MAX_CLOCK_SKEW_S * 1000 + 2000)[2]
        must("expired at" in why, action, why)


@check
def guard_replayed():
    old = client().preflight("open.lab", "read", nonce="of-another-request")
    bare = client().preflight("open.lab", "read")
    for receipt, expected in ((old, "another request's nonce"), (bare, "does not carry the nonce")):
        between = Between(lambda method, path, sent, reply: receipt if path == "/api/v1/preflight" else None)
        proceed, _, why = guarded(client(base=between.base), "open.lab")
        must(not proceed and expected in why, why)


@check
def guard_of_another_matter():
    cc = client()
    other = {
        "domain": lambda sent: cc.preflight("business.lab", "read", nonce=sent["nonce"]),
        "action": lambda sent: cc.preflight("open.lab", "cite", nonce=sent["nonce"]),
        "operation": lambda sent: cc.preflight("open.lab", "read", nonce=sent["nonce"], operation={"url": "x"}),
    }
    for what, made in other.items():
        between = Between(lambda method, path, sent, reply: made(sent) if path == "/api/v1/preflight" else None)
        operation = {"method": "GET", "url": "https://open.lab/"} if what == "operation" else None
        proceed, _, why = guarded(client(base=between.base), "open.lab", operation=operation)
        must(not proceed and what in why or what == "domain" and "is for business.lab" in why, what, why)


@check
def guard_tampered():
    def loosened(method, path, sent, reply):
        return dict(reply, decision="allow") if path == "/api/v1/preflight" else None

    proceed, _, why = guarded(client(base=Between(loosened).base), "robots-closed.lab")
    must(not proceed and "integrity failed: document_hash" in why, why)


@check
def guard_foreign_key():
    def foreign(method, path, sent, reply):
        return ask(FOREIGN, "POST", path, sent)[1] if path == "/api/v1/preflight" else None

    same(guarded(client(base=FOREIGN), "open.lab")[0], True)
    proceed, receipt, why = guarded(client(base=Between(foreign).base), "open.lab")
    same((proceed, receipt["decision"]), (False, "allow"))
    must("not in CrawlCheck's published key directory" in why, why)

    # A key that is published, for something else.
    def misused(method, path, sent, reply):
        if path.endswith("http-message-signatures-directory"):
            words = {"decisions": "log heads", "log heads": "decisions"}
            for key in reply["keys"]:
                key["crawlcheck_purpose"] = words.get(key["crawlcheck_purpose"], key["crawlcheck_purpose"])
            return reply
        return None

    proceed, _, why = guarded(client(base=Between(misused).base), "open.lab")
    must(not proceed and "the signing policy rejects this key" in why, why)


@check
def guard_unreachable():
    proceed, receipt, why = guarded(client(base=NOBODY), "open.lab")
    must(not proceed and receipt is None and "did not give a decision" in why, why)


@check
def guard_revoked():
    answer = client().resolve("wikipedia-login.lab")
    same(answer["impersonation"]["verdict"], "suspected")
    cc = client()
    same(cc.sync_revocations()["applied"], True)
    cc.base = NOBODY
    for domain in ("wikipedia-login.lab", "www.wikipedia-login.lab", "https://wikipedia-login.lab/", "a.b.wikipedia-login.lab"):
        for action in ("connect", "transact", "administer"):
            proceed, receipt, why = guarded(cc, domain, action, confirm=lambda _: True)
            must(not proceed and receipt is None and "signed revocation list" in why, domain, action, why)
            same(cc.last_guard["revoked"]["causes"], ["impersonation_suspected"])
    # Reading is never on the list, and nobody else is.
    must("did not give a decision" in guarded(cc, "wikipedia-login.lab", "read")[2])
    must("did not give a decision" in guarded(cc, "login.lab", "connect")[2])
    # Without the list the service itself says so.
    proceed, receipt, _ = guarded(client(), "wikipedia-login.lab", "connect", confirm=lambda _: True)
    same((proceed, receipt["decision"]), (False, "block"))


@check
def guard_forked_log():
    # Each of the two goes on by itself from the same past.
    cc, other = client(), client(base=FORKED)
    mine, theirs = cc.resolve("gzip.lab"), other.resolve("brotli.lab")
    same(mine["transparency"]["sth"]["signature"]["kid"], theirs["transparency"]["sth"]["signature"]["kid"])
    accepted(cc, theirs)
    head = ask(BASE, "GET", "/api/v1/log/sth/%d" % theirs["transparency"]["batch"])[1]["sth"]
    must(crawlcheck.log_observe(cc.log, head, cc.published_key_ids())["state"] in ("new", "known"))
    same(guarded(cc, "open.lab")[0], True)
    found = cc.log_gossip(crawlcheck.log_heads(other.log))
    same(found["results"][0]["state"], "fork", found)
    proceed, receipt, why = guarded(cc, "open.lab")
    must(not proceed and "two histories" in why, why)
    checked = cc.log_check(report=True)
    must(not checked["consistent"] and checked["summary"].startswith("SPLIT VIEW"), checked["summary"])
    # The service keeps what it was shown.
    fork = cc.log["forks"][0]
    _, told = ask(BASE, "POST", "/api/v1/log/gossip", {"sths": [fork["a"], fork["b"]]})
    same(sorted(result["state"] for result in told["results"]), ["contradicts", "known"], told)
    must(ask(BASE, "GET", "/api/v1/log")[1]["contradictions"] >= 1)
    # A store that was written down and read again still knows.
    again = client(log_store=json.loads(json.dumps(cc.log)))
    must("two histories" in guarded(again, "open.lab")[2])


# Guarded fetch.


def site(address, status=200, location=None, text="A page."):
    SITES.pages[address] = (status, {"location": location} if location else {}, text)


@check
def guarded_fetch_over_redirects():
    site("http://open.lab/start", 302, "http://business.lab/next")
    site("http://business.lab/next", 307, "/end?x=1")
    site("http://business.lab/end?x=1", text="Here we are.")
    SITES.visits.clear()
    cc = client()
    found = cc.guarded_fetch("http://open.lab/start", headers={"x-mine": "1"})
    same((found["proceed"], found["status"], found["body"]), (True, 200, b"Here we are."), found["why"])
    same([hop["domain"] for hop in found["hops"]], ["open.lab", "business.lab", "business.lab"])
    same([target for _, target, _ in SITES.visits], [hop["url"] for hop in found["hops"]])
    for _, target, headers in SITES.visits:
        host = urllib.parse.urlsplit(target).hostname
        checked = cc.check_receipt_header(headers[RECEIPT_HEADER.lower()], host)
        must(checked["accept"], target, checked["why"])
        # The receipt is for this very request.
        same(checked["check"]["receipt"]["operation"], {"method": "GET", "url": target})
        same(headers["x-mine"], "1")


@check
def guarded_fetch_stops_before_a_refused_hop():
    site("http://open.lab/out", 302, "http://robots-closed.lab/")
    site("http://robots-closed.lab/", text="Not for you.")
    SITES.visits.clear()
    found = client().guarded_fetch("http://open.lab/out", allow_warn=True, confirm=lambda _: True)
    same((found["proceed"], found["body"]), (False, None))
    same([hop["decision"] for hop in found["hops"]], ["allow", "block"])
    same([target for _, target, _ in SITES.visits], ["http://open.lab/out"], "a refused hop was asked for")
    for target in ("file:///etc/passwd", "http://127.0.0.1/", "http://[::1]/"):
        site("http://open.lab/bad", 302, target)
        found = client().guarded_fetch("http://open.lab/bad")
        same((found["proceed"], len([h for h in found["hops"] if h.get("status")])), (False, 1), target)


@check
def guarded_fetch_asks_about_the_path():
    site("http://robots-wildcards.lab/courses", 302, "/private/x")
    site("http://robots-wildcards.lab/private/x", text="Closed to robots.")
    found = client().guarded_fetch("http://robots-wildcards.lab/courses")
    same((found["proceed"], [hop["decision"] for hop in found["hops"]]), (False, ["allow", "block"]))


@check
def guarded_fetch_by_a_transport():
    seen = []

    def transport(method, url, headers, data):
        seen.append((method, url, data, headers[RECEIPT_HEADER]))
        return 200, {}, b"done"

    cc = client()
    found = cc.guarded_fetch("https://open.lab/", action="cite", method="POST", data=b"x", transport=transport)
    same((found["proceed"], seen[0][:3]), (True, ("POST", "https://open.lab/", b"x")))
    must(cc.check_receipt_header(seen[0][3], "open.lab")["accept"])
    loop = lambda method, url, headers, data: (302, {"Location": url + "x"}, b"")  # noqa: E731
    found = cc.guarded_fetch("https://open.lab/", transport=loop, max_hops=3)
    same((found["proceed"], found["why"]), (False, ["more than 3 redirects"]))
    same(cc.guarded_fetch("https://open.lab/", transport=transport, now=FAR)["proceed"], False)


# Verification.


@functools.cache
def report_id():
    status, record = ask(BASE, "POST", "/api/scan", {"domain": "open.lab"})
    same(status, 200, record)
    return record["id"]


def documents():
    """One of each signed document that there is about these operations."""
    receipt = client().preflight("open.lab", "read")
    found = {"receipt": receipt, "batch": client().resolve_batch(["open.lab"])}
    for name, target in {
        "answer": "/api/v1/resolve?domain=open.lab",
        "changes": "/api/v1/changes?limit=5",
        "revocations": "/api/v1/revocations",
        "staple": "/api/v1/staple?domain=open.lab",
        "decision check": "/api/v1/decisions/%s?host=open.lab" % receipt["sha256"],
        "outcomes": "/api/v1/outcomes?domain=open.lab",
        "rights": "/api/v1/rights?domain=open.lab",
        "claims": "/api/v1/claims?domain=open.lab",
        "domain": "/api/v1/domain?domain=open.lab",
        "machine record": "/api/v1/machine-record?id=" + report_id(),
        "content clock": "/api/v1/content-clock?url=https://open.lab/",
        "read equivalence": "/api/v1/read-equivalence?url=https://open.lab/",
    }.items():
        status, found[name] = ask(BASE, "GET", target)
        same(status, 200, name, found[name])
    found["head"] = found["answer"]["transparency"]["sth"]
    return found


@check
def verify_online():
    cc = client()
    for name, document in documents().items():
        accepted(cc, document, name)


@check
def verify_offline():
    policy = client().published_key_policy()
    cc = client(base=NOBODY)
    foreign = client(base=FOREIGN).published_key_policy()
    for name, document in documents().items():
        found = cc.verify(document, online_keys=False)
        same((found["verified"], found["issuer_trusted"], found["accepted"]), (True, None, False), name)
        must(cc.verify(document, key_policy=policy)["accepted"], name)
        must(not cc.verify(document, key_policy=foreign)["accepted"], name)


@check
def verify_refuses_what_was_changed():
    cc = client()
    for name, document in documents().items():
        for changed in (dict(document, more=1), {k: v for k, v in document.items() if k != "v"}):
            found = cc.verify(changed)
            must(not found["verified"] and not found["accepted"] and not found["integrity_valid"], name)
        forged = copy.deepcopy(document)
        body = {k: v for k, v in forged.items() if k not in ("sha256", "signature")} | {"more": 1}
        forged["more"] = 1
        forged["sha256"] = hashlib.sha256(crawlcheck.canon(body).encode()).hexdigest()
        forged["signature"]["message"] = "crawlcheck-data-v1\n" + forged["sha256"]
        must(not cc.verify(forged)["accepted"], name, "a signature of something else was taken")


# Revocations.


@check
def sync_revocations_with_deltas():
    cc = client()
    cc.resolve("moves.lab")
    first = cc.sync_revocations()
    same((first["applied"], first["full"], first["reason"]), (True, True, None))
    must("moves.lab" not in cc.revocations["revoked"], cc.revocations)
    empty = cc.sync_revocations()
    same((empty["applied"], empty["full"], empty["added"], empty["removed"]), (True, False, 0, 0), empty)

    turned("away")
    same(cc.scan("moves.lab")["domain"], "moves.lab")
    moved = cc.sync_revocations()
    same((moved["applied"], moved["full"], moved["added"], moved["removed"]), (True, False, 1, 0), moved)
    entry = cc.revocations["revoked"]["moves.lab"]
    same((entry["causes"], entry["state"]), (["high_risk_pending"], "suspended"))
    must(not set(entry["actions"]) & {"read", "cite"}, entry)
    must("signed revocation list" in guarded(cc, "moves.lab", "transact", confirm=lambda _: True)[2])

    turned("back")
    # A scan of this very minute would be given again.
    same(ask(BASE, "GET", "/api/v1/resolve?domain=moves.lab&live=always")[0], 200)
    back = cc.sync_revocations()
    same((back["applied"], back["full"], back["added"], back["removed"]), (True, False, 0, 1), back)
    must("moves.lab" not in cc.revocations["revoked"], cc.revocations)
    same(guarded(cc, "moves.lab", "transact", confirm=lambda _: True)[0], True)
    whole = client()
    same(whole.sync_revocations(full=True)["full"], True)
    same(whole.revocations["revoked"], cc.revocations["revoked"])
    # A store that was written down goes on where it was.
    later = client(revocation_store=json.loads(json.dumps(cc.revocations)))
    same((later.sync_revocations()["full"], later.revocations["revoked"]), (False, cc.revocations["revoked"]))


def turned(where):
    """Has the service open the page that turns the site."""
    status, clock = ask(BASE, "GET", "/api/v1/content-clock?url=https://moves.lab/turn/" + where)
    same((status, clock["observed"]), (200, True), clock)
    # Readings have their second, and the newer must be seen to be newer.
    time.sleep(1.1)


@check
def sync_revocations_takes_no_other_list():
    def foreign(method, path, sent, reply):
        return ask(FOREIGN, "GET", path)[1] if path == "/api/v1/revocations" else None

    def emptied(method, path, sent, reply):
        return dict(reply, revoked=[]) if path == "/api/v1/revocations" else None

    for change in (foreign, emptied):
        cc = client(base=Between(change).base)
        found = cc.sync_revocations()
        same((found["applied"], cc.revocations["generated_at"]), (False, None), found["reason"])
        must("did not verify" in found["reason"])


@check
def sync_revocations_from_before_the_beginning():
    cc = client()
    cc.revocations["generated_at"] = "2020-01-01T00:00:00.000Z"
    cc.revocations["revoked"] = {"long-gone.lab": {"actions": ["connect"]}}
    found = cc.sync_revocations()
    same((found["applied"], found["full"], "long-gone.lab" in cc.revocations["revoked"]), (True, True, False), found)


# Receipt headers.


@check
def check_receipt_header_accepts():
    cc = client()
    for domain, action in (("open.lab", "read"), ("open.lab", "cite"), ("spa.lab", "read")):
        receipt = cc.preflight(domain, action)
        header = cc.receipt_header(receipt)[RECEIPT_HEADER]
        same(header, "v=1; sha256=" + receipt["sha256"])
        for host in (domain, "www." + domain, domain + ":443", "https://%s/x" % domain):
            found = cc.check_receipt_header(header, host)
            must(found["accept"] and found["verification"]["accepted"], host, found["why"])
        same(found["check"]["receipt"], receipt)
        same(cc.check_receipt_header(receipt["sha256"].upper(), domain)["accept"], True)


@check
def check_receipt_header_refuses():
    cc = client()
    receipt = cc.preflight("open.lab", "read")
    header = cc.receipt_header(receipt)[RECEIPT_HEADER]
    other = cc.check_receipt_header(header, "business.lab")
    must(not other["accept"] and "open.lab" in other["why"], other["why"])
    unknown = cc.check_receipt_header("v=1; sha256=" + "0" * 64, "open.lab")
    same((unknown["accept"], unknown["why"]), (False, "CrawlCheck holds no receipt with that digest"))
    same(unknown["check"]["code"], "unknown_decision", unknown["check"])
    damaged = header[:-1] + ("0" if header[-1] != "0" else "1")
    same(cc.check_receipt_header(damaged, "open.lab")["accept"], False)
    for nothing in ("", None, "v=1", "v=1; sha256=abc"):
        same(cc.check_receipt_header(nothing, "open.lab")["check"], None)
    foreign = client(base=FOREIGN).preflight("open.lab", "read")
    same(cc.check_receipt_header(cc.receipt_header(foreign)[RECEIPT_HEADER], "open.lab")["accept"], False)
    for domain, action in (("robots-closed.lab", "read"), ("open.lab", "transact"), ("open.lab", "administer")):
        strict = cc.preflight(domain, action)
        found = cc.check_receipt_header(cc.receipt_header(strict)[RECEIPT_HEADER], domain)
        must(not found["accept"] and found["verification"]["accepted"], domain, action, found["why"])

    def tampered(method, path, sent, reply):
        if path.startswith("/api/v1/decisions/"):
            reply["receipt"]["expires_at"] = "2099-01-01T00:00:00Z"
            return reply
        return None

    found = client(base=Between(tampered).base).check_receipt_header(header, "open.lab")
    same((found["accept"], found["verification"]["accepted"]), (False, False))


# Staples.


@check
def staple_check():
    cc = client()
    kids = cc.published_key_ids()
    record = staple("open.lab")
    for host in ("open.lab", "www.open.lab", "shop.open.lab", "OPEN.lab."):
        found = crawlcheck.staple_check(record["staple"], host, kids)
        must(found["valid"], host, found["reason"])
        same(found["decisions"], record["decisions"])
    # As it stands in a TXT record, in parts.
    must(crawlcheck.staple_check(record["txt"]["value"], "open.lab", kids)["valid"])
    must(record["txt"]["name"].startswith("open.lab._v.") and ":" not in record["txt"]["name"], record["txt"])
    same(crawlcheck.staple_from_headers({record["header"]: "x"}), "x")
    answer = cc.resolve("open.lab")
    same(record["decisions"], {k: answer["actions"][k]["decision"] for k in record["decisions"]})


@check
def staple_check_refuses():
    kids = client().published_key_ids()
    record = staple("open.lab")["staple"]
    fields, body, signature = crawlcheck.parse_staple(record)
    expired = crawlcheck.staple_check(record, "open.lab", kids, now=FAR / 1000)
    same((expired["valid"], expired["expired"]), (False, True))
    foreign = crawlcheck.staple_check(staple("open.lab", FOREIGN)["staple"], "open.lab", kids)
    must(not foreign["valid"] and "is not one CrawlCheck publishes" in foreign["reason"], foreign["reason"])
    for given, host, reason in (
        (record, "business.lab", "names open.lab"),
        (record, "notopen.lab", "names open.lab"),
        (record, "", "no host"),
        (record.replace("connect=require_confirmation", "connect=allow"), "open.lab", "signature does not verify"),
        (record.replace("f=20", "f=21"), "open.lab", "signature does not verify"),
        (record.replace("k=" + fields["k"], "k=" + "A" * 43), "open.lab", "key id"),
        (body, "open.lab", "not a ccr1 record"),
    ):
        found = crawlcheck.staple_check(given, host, kids)
        must(not found["valid"] and reason in found["reason"], host, found["reason"], reason)


# The log.


@check
def log_check():
    cc = client()
    for domain in ("open.lab", "minimal.lab", "latin1.lab", "deflate.lab"):
        cc.resolve(domain)
    between = Between()
    cc.base = between.base
    found = cc.log_check()
    same((found["consistent"], found["forks"], found["all_forks"]), (True, [], 0), found["summary"])
    same(found["stale_unwitnessed"], [])
    newest = ask(BASE, "GET", "/api/v1/log")[1]["head"]
    must(any(one["batch"] == newest["batch"] for one in found["unwitnessed"]), found["unwitnessed"], newest["batch"])
    must(("POST", "/api/v1/log/gossip") in between.asked, between.asked)
    same(cc.log_check(report=False)["consistent"], True)


@check
def log_gossip():
    one, other = client(), client()
    for cc, domain in ((one, "open.lab"), (other, "minimal.lab"), (other, "zstd.lab")):
        cc.resolve(domain)
    heads = crawlcheck.log_heads(other.log)
    found = one.log_gossip(heads)
    same((found["forks"], {result["state"] for result in found["results"]} <= {"new", "known"}), ([], True))
    status, told = ask(BASE, "POST", "/api/v1/log/gossip", {"sths": crawlcheck.log_heads(one.log)})
    same((status, {result["state"] for result in told["results"]}), (200, {"known"}), told)
    damaged = dict(heads[0], tree_size=heads[0]["tree_size"] + 1)
    same(one.log_gossip([damaged])["results"][0]["state"], "invalid")


@check
def log_walk():
    # A client that holds an early head and is shown a later one walks the chain between them.
    first = ask(BASE, "GET", "/api/v1/log/sth/0")[1]["sth"]
    head = ask(BASE, "GET", "/api/v1/log")[1]["head"]
    store = crawlcheck.new_log_store()
    kids = client().published_key_ids()
    from crawlcheck.log import _walk_heads

    walked = _walk_heads(lambda path: ask(BASE, "GET", path)[1], head["batch"], 0)
    same([sth["batch"] for sth in walked], list(range(head["batch"], -1, -1)))
    for sth in walked + [first, head]:
        must(crawlcheck.log_observe(store, sth, kids)["state"] in ("new", "known"), sth["batch"])
    same(store["forks"], [])


# Afterwards.


@check
def outcome():
    cc = client()
    sha256 = cc.resolve("login.lab")["sha256"]
    for more in (
        {"status": 200},
        {"status": 403, "blocked": True, "agent": "GPTBot"},
        {"status": 200, "challenged": True},
        {"blocked": False, "challenged": False, "status": 200, "agent": "ClaudeBot", "resolve_sha256": sha256},
    ):
        told = cc.outcome("login.lab", "read", **more)
        same((told["accepted"]["domain"], told["accepted"]["action"]), ("login.lab", "read"))
    _, summary = ask(BASE, "GET", "/api/v1/outcomes?domain=login.lab")
    accepted(cc, summary)
    same([summary[name] for name in ("n", "ok", "blocked", "challenged")], [4, 2, 1, 1], summary)
    same(cc.resolve("login.lab")["sha256"], sha256, "a report changed the answer")
    refused(400, cc.outcome, "login.lab", "destroy")
    refused(400, cc.outcome, "10.0.0.1", "read", status=200)


@check
def changes():
    cc = client()
    domain = "two-phones.lab"
    before = cc.resolve(domain)
    time.sleep(1.1)
    cc.scan(domain)
    after = cc.resolve(domain)
    must(before["sha256"] != after["sha256"])
    found = cc.changes(domain=domain)
    accepted(cc, found)
    sections = {entry["section"] for entry in found["entries"]}
    must("assurance" in sections, sections)
    same({entry["domain"] for entry in found["entries"]}, {domain})
    same(len(cc.changes(domain=domain, limit=1)["entries"]), 1)
    everything = cc.changes()
    must(len(everything["entries"]) >= len(found["entries"]))
    since = cc.changes(domain=domain, since=before["answered_at"] if "answered_at" in before else found["entries"][-1]["at"])
    must(since["entries"], since)
    later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 30))
    same([e for e in cc.changes(domain=domain, since=later)["entries"]], [])
    refused(400, cc.changes, domain="10.0.0.1")


@check
def domain():
    cc = client()
    found = cc.domain("open.lab")
    accepted(cc, found)
    registry = found["registry"]
    same((found["kind"], found["domain"], registry["state"]), ("crawlcheck-domain", "open.lab", "observed"))
    must(registry["registrar"] and registry["registrar_iana_id"].isdigit(), registry)
    for name in ("created", "expires", "changed"):
        time.strptime(registry[name], "%Y-%m-%dT%H:%M:%SZ")
    must(registry["nameservers"] and registry["status"] and registry["dnssec"] in (True, False), registry)
    must(registry["source"].endswith("/domain/open.lab"), registry)
    kinds = {entry["type"]: entry for entry in found["timeline"]}
    same((kinds["registered"]["source"], kinds["first_read"]["source"]), ("registry", "crawlcheck"))
    same(kinds["registered"]["at"], registry["created"])
    # A second call reads nothing again, and the name below belongs to the same registration.
    same(cc.domain("open.lab")["registry"]["read_at"], registry["read_at"])
    below = cc.domain("https://shop.open.lab/page")
    same((below["domain"], below["registry"]["registered_domain"]), ("shop.open.lab", "open.lab"))
    same(cc.domain("nobody-has-this.lab")["registry"]["state"], "not_registered")
    same(cc.domain("example.de")["registry"]["state"], "not_available")
    refused(400, cc.domain, "10.0.0.1")
    refused(400, cc.domain, "")


# Tools for agents.


def tools(cc, **more):
    return {tool["name"]: tool["execute"] for tool in crawlcheck.agent_tools(cc, **more)}


@check
def tool_check_site():
    run = tools(client())["crawlcheck_check_site"]
    found = run({"site": "https://open.lab/page"})
    same((found["proceed"], found["decision"], found["domain"], found["why"]), (True, "allow", "open.lab", []))
    must(found["reasons"] and len(found["receipt_sha256"]) == 64 and found["facts"]["untrusted_name"], found)
    closed = run({"site": "robots-closed.lab", "action": "cite"})
    same((closed["proceed"], closed["decision"]), (False, "block"))
    must(closed["reason_codes"] and closed["alternatives"], closed)
    for arguments in ({"site": "open.lab", "action": "destroy"}, {"site": "http://127.0.0.1/"}, {}, {"site": "spa.lab"}):
        same(run(arguments)["proceed"], False, arguments)
    same(tools(client(), allow_warn=True)["crawlcheck_check_site"]({"site": "spa.lab"})["proceed"], True)
    asking = tools(client(), confirm=lambda receipt: receipt["action"] == "transact")["crawlcheck_check_site"]
    same(asking({"site": "open.lab", "action": "transact"})["proceed"], True)
    same(tools(client(base=NOBODY))["crawlcheck_check_site"]({"site": "open.lab"})["proceed"], False)


@check
def tool_fetch():
    site("http://open.lab/tool", 301, "http://business.lab/tool")
    site("http://business.lab/tool", text="Read by a tool.")
    site("http://open.lab/trap", 302, "http://blocks-ai.lab/")
    run = tools(client(), max_chars=8)["crawlcheck_fetch"]
    found = run({"url": "http://open.lab/tool"})
    same((found["proceed"], found["status"], found["text"], found["truncated"]), (True, 200, "Read by ", True), found)
    same([hop["decision"] for hop in found["hops"]], ["allow", "allow"])
    same(run({"url": "http://business.lab/tool", "action": "cite"})["proceed"], True)
    trap = run({"url": "http://open.lab/trap"})
    same((trap["proceed"], [hop["proceed"] for hop in trap["hops"]]), (False, [True, False]))
    for url in ("", "ftp://open.lab/", "http://127.0.0.1/", "http://robots-closed.lab/"):
        same(run({"url": url})["proceed"], False, url)
    same(run({"url": "http://open.lab/tool", "action": "transact"})["proceed"], False)


@check
def tools_for_each_framework():
    cc = client()
    for framework, name_of in (
        ("openai", lambda one: one["function"]["name"]),
        ("anthropic", lambda one: one["name"]),
        ("mcp", lambda one: one["name"]),
    ):
        definitions, call = crawlcheck.tools_for(framework, crawlcheck.agent_tools(cc))
        must("crawlcheck_check_site" in [name_of(one) for one in definitions])
        same(call("crawlcheck_check_site", '{"site": "open.lab"}')["proceed"], True)
        same(call("crawlcheck_check_site", {"site": "robots-closed.lab"})["proceed"], False)


@check
def mcp_preflight():
    async def before(cc, url, **more):
        return await crawlcheck.McpPreflight(cc, **more).before_connect(url)

    async def all_of_it():
        cc = client()
        url = "https://open.lab/mcp"
        receipt = await before(cc, url, confirm=lambda receipt: True)
        same(receipt["decision"], "require_confirmation")
        for given, more in ((url, {}), ("https://minimal.lab/mcp", {"confirm": lambda _: True})):
            try:
                await before(cc, given, **more)
            except crawlcheck.McpPreflightRefused:
                continue
            raise AssertionError("not refused: " + given)

    asyncio.run(all_of_it())


def ready():
    """Has the sites scanned whose decisions are known here: a live reading has a second, and a busy machine needs more."""
    names = ["open", "business", "minimal", "spa", "robots-closed", "robots-wildcards", "robots-no-ai", "blocks-ai"]
    asked = [(BASE, name + ".lab") for name in names] + [(FOREIGN, "open.lab")]

    def scan(one):
        base, domain = one
        status, said = ask(base, "POST", "/api/scan", {"domain": domain})
        same(status, 200, domain, said)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(scan, asked))


def main():
    ready()
    told = {}
    # A service that is shown a fork of its log signs nothing after that, so this comes last.
    for function in sorted(CHECKS, key=lambda one: one is guard_forked_log):
        name = function.__name__
        try:
            function()
            told[name] = {"ok": True}
        except Exception as error:  # noqa: BLE001 - whatever happens in one check is told of that one
            line = traceback.extract_tb(error.__traceback__)[1:2]
            where = "line %d: " % line[0].lineno if line else ""
            told[name] = {"ok": False, "why": "%s%s: %s" % (where, type(error).__name__, error)}
    json.dump(told, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
