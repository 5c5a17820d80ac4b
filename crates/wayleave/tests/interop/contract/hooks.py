"""What Schemathesis cannot know from the document: names that exist in the lab, ids of stored records,
keys, and rules that concern several members at once (`from` is not after `to`).

Only requests that are meant to be valid are completed. Requests that are meant to be refused stay as they
were generated.
"""

import itertools
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import schemathesis
from hypothesis import strategies as st

with open(os.environ["CONTRACT_FIXTURES"], encoding="utf-8") as file:
    FIXTURES = json.load(file)
ANSWERED = os.environ["CONTRACT_ANSWERED"]

COUNTER = itertools.count()

# Lists need many different names. Those with numbers do not exist, so that reading them takes no time.
NAMES = st.integers(0, 149).map(lambda number: f"no-such-name-{number}.lab")
schemathesis.openapi.format("domain-or-url", st.sampled_from(FIXTURES["domains"]) | NAMES)
schemathesis.openapi.format("uri", st.sampled_from(FIXTURES["pages"]))
schemathesis.openapi.format("action-or-domain", st.sampled_from(["read", "cite", "open.lab"]) | NAMES)
schemathesis.openapi.format(
    "ip-address", st.sampled_from(["", "8.8.4.4", "192.168.0.7", "2001:db8::7", "::ffff:8.8.4.4"])
)
schemathesis.openapi.format("cursor", st.just("0"))
# A few only: each of them gets one mail a day.
schemathesis.openapi.format("mail-address", st.sampled_from(["ada@mail.lab", "eve+1@mail.lab", "x@b\u00fccher.lab"]))
schemathesis.openapi.format("date", st.sampled_from([FIXTURES["day"], "2026-01-31", "1999-12-31"]))
schemathesis.openapi.format(
    "date-time", st.sampled_from(["2026-01-31T12:00:00Z", "1999-12-31T23:59:59.999Z"])
)


def query(case):
    if case.query is None:
        case.query = {}
    return case.query


def drop(case, *names):
    for name in names:
        query(case).pop(name, None)


def pick(values):
    values = list(values)
    return values[next(COUNTER) % len(values)]


def number(value, default, most):
    """The number that was generated, if the log is that large."""
    try:
        return min(int(value), most)
    except (TypeError, ValueError):
        return default


def path_id(case):
    case.path_parameters = {**(case.path_parameters or {}), "id": pick(FIXTURES["ids"])}


def machine_record(case):
    """Not every file can be made of every site. The record always can."""
    case.query = {"id": pick(FIXTURES["ids"]), "format": pick(["json", "llms_txt"])}


def seal_lookup(case):
    case.query = {name: value for name, value in [pick(FIXTURES["seals"].items())]}


def schema(case):
    if "list" in query(case):
        case.query = {"list": "1"}
    elif "kind" in query(case):
        case.query = {"kind": pick(FIXTURES["kinds"])}


def schema_by_kind(case):
    case.path_parameters = {"kind": pick(FIXTURES["kinds"])}


def log_overview(case):
    drop(case, "cursor")
    if "leaf" in query(case):
        query(case)["leaf"] = FIXTURES["leaf"]
        drop(case, "limit")


def inclusion(case):
    query(case)["leaf"] = FIXTURES["leaf"]
    if "tree_size" in query(case):
        query(case)["tree_size"] = FIXTURES["tree_size"]


def consistency(case):
    size = FIXTURES["tree_size"]
    first = max(1, number(query(case).get("from"), 1, size))
    query(case)["from"] = first
    if "to" in query(case):
        query(case)["to"] = max(first, number(query(case)["to"], size, size))


def batch_of_query(case):
    query(case)["batch"] = number(query(case).get("batch"), 0, FIXTURES["batch"])


def batch_of_path(case):
    batch = (case.path_parameters or {}).get("batch")
    case.path_parameters = {"batch": number(batch, 0, FIXTURES["batch"])}


def batch_or_latest(case):
    batch = (case.path_parameters or {}).get("batch")
    case.path_parameters = {"batch": "latest" if batch == "latest" else str(number(batch, 0, FIXTURES["batch"]))}


def heads(case):
    if "to" in query(case):
        query(case)["to"] = number(query(case)["to"], 0, FIXTURES["batch"])


def census(case):
    drop(case, "cursor")
    if "run" in query(case):
        query(case)["run"] = pick(["latest", "1"])


def revocations(case):
    drop(case, "cursor")


def corroboration(case):
    query(case)["domain"] = FIXTURES["domains"][0]


def decision_check(case):
    case.path_parameters = {"sha256": pick(FIXTURES["decisions"])}
    drop(case, "at", "action")


def build(case):
    case.path_parameters = {"version_id": FIXTURES["build"]}


def tile(case):
    case.path_parameters = {"path": FIXTURES["tile"]}


def heads_file(case):
    case.path_parameters = {"file": FIXTURES["heads_file"]}


def sealed_day(case):
    case.path_parameters = {"day": FIXTURES["day"]}


VALID_KEY = re.compile(r"[!#-~][!-~]{0,254}")


def use_new_key(case):
    """A key that was used with another body is refused, so each request has its own."""
    for name, value in list((case.headers or {}).items()):
        if name.lower() == "idempotency-key" and VALID_KEY.fullmatch(str(value)):
            case.headers[name] = f"contract-{next(COUNTER)}"


def complete_check(check, inherited):
    """A check names one target and an action, and its policy only tightens."""
    if not inherited or check.get("domain") or check.get("url"):
        if check.get("domain") and check.get("url"):
            check.pop("url")
        elif not check.get("domain") and not check.get("url"):
            check["domain"] = FIXTURES["domains"][0]
    check["action"] = check.get("action") or "read"
    if isinstance(check.get("mcp"), dict):
        check["action"] = "connect"
        digests = [name for name in ("tools_sha256", "lock_sha256", "surface_sha256") if check["mcp"].get(name)]
        for name in digests[1:]:
            check["mcp"].pop(name)
    if isinstance(check.get("agent"), dict) and not any(check["agent"].get(n) for n in ("name", "user_agent")):
        check["agent"]["name"] = "ExampleBot"
    policy = check.get("policy")
    if isinstance(policy, dict):
        if policy.get("max_age_hours") is not None:
            policy["max_age_hours"] = 0
        for name in ("on_warn", "warn_as"):
            if policy.get(name) not in (None, "warn", "require_confirmation", "block"):
                policy[name] = "block"
        if policy.get("minimum_assurance") is not None:
            policy["minimum_assurance"] = "action_ready"
    if check.get("held") is not None:
        check["held"] = {"decision_sha256": FIXTURES["decisions"][0]}
    operation = check.get("operation")
    if operation is not None:
        check["operation"] = {"method": "GET", "url": FIXTURES["pages"][0]}
    # Stored evidence is enough: with 0, an unknown domain would be refused.
    if check.get("live_ms") == 0:
        check["live_ms"] = 1


def preflight(case):
    body = case.body
    if not isinstance(body, dict):
        return
    if body.get("checks") is None:
        body.pop("checks", None)
        complete_check(body, inherited=False)
        return
    complete_check(body, inherited=False)
    for number_of_check, check in enumerate(body["checks"]):
        complete_check(check, inherited=True)
        check["nonce"] = f"n{number_of_check}"


def outcome(case):
    """Either shape, but not both at once, and with a result."""
    body = case.body
    if not isinstance(body, dict):
        return
    nested = isinstance(body.get("agent"), dict) or (
        isinstance(body.get("result"), dict) and not isinstance(body.get("agent"), str)
    )
    if nested:
        if not isinstance(body.get("result"), dict):
            body["result"] = {}
        for name in ("status", "blocked", "challenged"):
            body.pop(name, None)
        if not any(body["result"].get(name) is not None for name in ("status", "blocked", "challenge")):
            body["result"]["status"] = 200
        if body["result"].get("status") == 0:
            body["result"]["status"] = 200
    else:
        body.pop("result", None)
        if not any(body.get(name) is not None for name in ("status", "blocked", "challenged")):
            body["status"] = 200


def scan(case):
    """A scan of a site takes a second, of a name that does not exist next to nothing."""
    names = [f"no-such-name-{number}.lab" for number in range(7)]
    if isinstance(case.body, dict) and "domain" in case.body:
        case.body["domain"] = pick(["open.lab", *names])


def resolve_batch(case):
    """Any text is accepted as a domain of a batch; these are domains that the lab has."""
    if isinstance(case.body, dict) and isinstance(case.body.get("domains"), list):
        names = FIXTURES["domains"]
        case.body["domains"] = [names[i % len(names)] for i in range(len(case.body["domains"]))]


MCP_SERVER = "https://mcp-both.lab/mcp"


def mcp_lock(case):
    query(case)["url"] = MCP_SERVER


def mcp_scan_url(case):
    """Either a server or a domain."""
    asked = query(case)
    if "domain" in asked and "url" not in asked:
        asked["domain"] = pick(["open.lab", "no-such-name-1.lab"])
        return
    asked.pop("domain", None)
    asked["url"] = MCP_SERVER


def complete_lists(lists):
    """At least one list. Items are objects."""
    for name in ("tools", "prompts", "resources", "resource_templates"):
        if lists.get(name) is not None:
            lists[name] = [item for item in lists[name] if isinstance(item, dict)][:50]
        else:
            lists.pop(name, None)
    if not any(name in lists for name in ("tools", "prompts", "resources", "resource_templates")):
        lists["tools"] = []


def mcp_scan_lists(case):
    if isinstance(case.body, dict):
        complete_lists(case.body)


def mcp_lock_check(case):
    body = case.body
    if not isinstance(body, dict):
        return
    body["lock"] = {"kind": "svc-mcp-lock", "tools": [{"name": "add", "sha256": "0" * 64}], "count": 1}
    body["url"] = MCP_SERVER
    if isinstance(body.get("observed"), dict):
        complete_lists(body["observed"])
    # The digest of a stored scan is not known here: an invented one is 404.
    body.pop("scan_sha256", None)


def free_key(case):
    """Any text is not a mail address."""
    if isinstance(case.body, dict) and "email" in case.body:
        case.body["email"] = pick(["ada@mail.lab", "eve+1@mail.lab"])


def census_export(case):
    """Without a key there is no such address, so the document does not say that it needs one."""
    case.headers = {**(case.headers or {}), "x-svc-key": FIXTURES["licence_key"]}
    if "run" in query(case):
        query(case)["run"] = pick(["latest", "1"])


def usage(case):
    """As for the export."""
    case.headers = {**(case.headers or {}), "x-svc-key": FIXTURES["licence_key"]}


OWNER = FIXTURES["owner"]


def ask_as_owner(method, path, body=None, secret=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {secret or OWNER['secret']}"}
    address = f"{OWNER['base']}/registry/{OWNER['domain']}/{path}"
    request = urllib.request.Request(address, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError:
        return None


def of_owner(case, secret=None):
    """The domain that is claimed, with the secret of the claim."""
    case.path_parameters = {**(case.path_parameters or {}), "domain": OWNER["domain"]}
    case.headers = {**(case.headers or {}), "authorization": f"Bearer {secret or OWNER['secret']}"}


def owned_domain(case):
    case.path_parameters = {"domain": OWNER["domain"]}


def verify_claim(case):
    of_owner(case)
    if isinstance(case.body, dict):
        case.body["claim_id"] = OWNER["claim_id"]


def withdraw_claim(case):
    """Each withdrawal needs a claim of its own."""
    begun = ask_as_owner("POST", "claim", {"method": "dns_txt"})
    subprocess.run([*OWNER["publish"], begun["value"]], check=True, stdout=subprocess.DEVNULL)
    ask_as_owner("POST", "claim/verify", {"claim_id": begun["claim_id"]}, begun["claim_secret"])
    of_owner(case, begun["claim_secret"])


def report_incident(case):
    ask_as_owner("DELETE", "incident")
    of_owner(case)
    if isinstance(case.body, dict):
        case.body.pop("since", None)


def end_incident(case):
    ask_as_owner("POST", "incident", {"what": "It was a test."})
    of_owner(case)


def file_dispute(case):
    of_owner(case)
    if isinstance(case.body, dict):
        case.body["record"] = OWNER["scan"]


def dispute(case):
    case.path_parameters = OWNER["dispute"]


def accuracy(case):
    """The claimed domain, once an engine was asked about it. One record or a list, not both."""
    address = f"{OWNER['base']}/api/v1/accuracy?domain={OWNER['domain']}"
    for _ in range(60):
        try:
            urllib.request.urlopen(address, timeout=60).close()
            break
        except urllib.error.HTTPError:
            time.sleep(1)
    days = query(case).get("days")
    case.query = {"domain": OWNER["domain"]}
    if days is not None:
        case.query["days"] = days


COMPLETIONS = {
    "getAccuracy": accuracy,
    "getClaimOffer": owned_domain,
    "beginClaim": owned_domain,
    "verifyClaim": verify_claim,
    "withdrawClaim": withdraw_claim,
    "reportIncident": report_incident,
    "endIncident": end_incident,
    "fileDispute": file_dispute,
    "getDispute": dispute,
    "getUsage": usage,
    "requestFreeKey": free_key,
    "getCensusExport": census_export,
    "getReportBundle": path_id,
    "mcpLock": mcp_lock,
    "mcpScanUrl": mcp_scan_url,
    "mcpScanLists": mcp_scan_lists,
    "mcpLockCheck": mcp_lock_check,
    "scanDomain": scan,
    "scanDomainV1": scan,
    "getGraph": path_id,
    "getMachineRecord": machine_record,
    "getReport": path_id,
    "getReportRecord": path_id,
    "getReportEvidence": path_id,
    "getReportManifest": path_id,
    "sealLookup": seal_lookup,
    "getSchema": schema,
    "getSchemaByKind": schema_by_kind,
    "getLog": log_overview,
    "getLogInclusion": inclusion,
    "getLogConsistency": consistency,
    "getLogAbsence": batch_of_query,
    "getLogLeaves": batch_of_path,
    "getLogHead": batch_or_latest,
    "getLogHeads": heads,
    "getLogTile": tile,
    "getLogHeadsFile": heads_file,
    "getCensusRecords": census,
    "getCorroboration": corroboration,
    "revocations": revocations,
    "decisionCheckV1": decision_check,
    "getBuild": build,
    "proofDay": sealed_day,
    "proofTimestamps": sealed_day,
    "postOutcome": outcome,
    "preflightV1": preflight,
    "resolveBatchV1": resolve_batch,
}


def operation_id(case):
    return case.operation.definition.raw.get("operationId", "")


def replace_names(case):
    """The examples of the document are reserved names, which no service may read, and Schemathesis also
    sends what it found in earlier responses, such as our own address or a time to come."""
    targets = [query(case)] + ([case.body] if isinstance(case.body, dict) else [])
    for target in targets:
        if isinstance(target.get("domain"), str) and ".lab" not in target["domain"]:
            target["domain"] = FIXTURES["domains"][0]
        if isinstance(target.get("url"), str) and ".lab" not in target["url"]:
            target["url"] = FIXTURES["pages"][0]
        if isinstance(target.get("since"), str):
            target["since"] = "2026-01-31T12:00:00Z"


@schemathesis.hook
def filter_query(context, query):
    """The head of a request has at most 16 KiB. Longer ones are refused before there is a request."""
    return len(urllib.parse.urlencode(query, doseq=True)) < 12_000 if isinstance(query, dict) else True


@schemathesis.hook
def filter_path_parameters(context, path_parameters):
    """As for the query."""
    return len(urllib.parse.urlencode(path_parameters)) < 12_000 if isinstance(path_parameters, dict) else True


@schemathesis.hook
def before_call(context, case, kwargs):
    use_new_key(case)
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    replace_names(case)
    complete = COMPLETIONS.get(operation_id(case))
    if complete is not None:
        complete(case)


@schemathesis.hook
def after_call(context, case, response):
    with open(ANSWERED, "a", encoding="utf-8") as file:
        file.write(f"{operation_id(case)} {response.status_code}\n")


@schemathesis.hook
def filter_body(context, body):
    """A body of more than a mebibyte is refused with 413 before anything in it is looked at."""
    try:
        return len(json.dumps(body)) < 900_000
    except (TypeError, ValueError):
        return True
