"""Checks the HTTP interface of `wayleave demo` against its OpenAPI document with Schemathesis: all checks,
all phases, a fixed seed, limits off. Fails if a request or response is not as the document says, or if an
operation never succeeded.

Usage: python run.py WAYLEAVE_BINARY [MAX_EXAMPLES]
"""

import collections
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20261115
# It takes two minutes on an idle machine.
MAX_SECONDS = 900
DOMAINS = ["open.lab", "blocks-ai.lab", "https://open.lab/", "http://www.open.lab/menu"]
OWNED = "yours.lab"
DISPUTED = "minimal.lab"
TWO_DAYS_MS = 2 * 24 * 3600 * 1000


class Process:
    """A running program. It is stopped at the end of a `with` block."""

    def __init__(self, arguments, **options):
        self.child = subprocess.Popen(arguments, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.send_signal(signal.SIGTERM)
        try:
            self.child.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.child.kill()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def start_demo(wayleave, data, log, *more):
    # Free keys need to know their address before. Nobody listens for the mails.
    address = f"127.0.0.1:{free_port()}"
    arguments = [wayleave, "demo", "--json", "--server-listen", address, "--store-data-dir", data]
    arguments += ["--server-base-url", f"http://{address}", "--access-free-keys", "true", "--mail-host", "127.0.0.1"]
    arguments += ["--mail-port", str(free_port()), "--mail-security", "none", "--mail-from", "keys@contract.example"]
    arguments += ["--limits-enabled", "false", "--proof-origin", "contract.example/log", *more]
    demo = Process(arguments, stdout=subprocess.PIPE, stderr=log, text=True)
    line = demo.child.stdout.readline()
    if not line:
        sys.exit("the demo did not start")
    ready = json.loads(line)
    return demo, ready["url"], ready["lab"]


def start_witness(wayleave, folder, log_key):
    """A witness of the log, and its address with its key, as the server wants it."""
    arguments = [wayleave, "witness", "--json", "--listen", "127.0.0.1:0", "--log", log_key]
    arguments += ["--data-dir", str(folder / "witness"), "--name", "witness.example/w1"]
    witness = Process(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    ready = json.loads(witness.child.stdout.readline())
    return witness, f"{ready['vkey']}=http://{ready['listen']}"


def call(base, path, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **(headers or {})}
    request = urllib.request.Request(base + path, data, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def run_census(wayleave, folder, data):
    """Measures two lab sites, so that there are census records."""
    ranking = folder / "list.csv"
    ranking.write_text("1,open.lab\n2,blocks-ai.lab\n", encoding="utf-8")
    config = folder / "lab.toml"
    arguments = [wayleave, "lab", "run", "--config-file", str(config), "--ca-file", str(folder / "ca.pem")]
    with Process(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        wait_for("the lab", config.exists)
        time.sleep(0.5)
        census = [wayleave, "census", "run", str(ranking), "--name", "lab", "--date", "2026-11-09"]
        census += ["--config", str(config), "--store-data-dir", data]
        subprocess.run(census, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(what, is_there, seconds=90):
    end = time.monotonic() + seconds
    while not is_there():
        if time.monotonic() > end:
            sys.exit(f"{what} did not come within {seconds} s")
        time.sleep(0.2)


def answers(address):
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.status == 200
    except urllib.error.HTTPError:
        return False


def copy_scan_to_the_past(data):
    """Stores a scan once more, as one of two days ago, so that there are days to seal. The copy is not
    genuine, and the server says so: it seals the days without it."""
    with sqlite3.connect(pathlib.Path(data) / "wayleave.db") as store:
        store.row_factory = sqlite3.Row
        scan = dict(store.execute("SELECT * FROM scans LIMIT 1").fetchone())
        time_column = next(name for name in scan if name.startswith("scanned_at"))
        scan.update({"id": "past1", "domain": "past.lab", time_column: scan[time_column] - TWO_DAYS_MS})
        names = ", ".join(scan)
        store.execute(f"INSERT INTO scans ({names}) VALUES ({', '.join('?' * len(scan))})", list(scan.values()))


def make_fixtures(base, licence_key):
    """Creates one of each record, and collects their names."""
    keyed = {"x-svc-key": licence_key}
    public = call(base, "/api/scan", {"domain": "open.lab"})
    private = call(base, "/api/scan", {"domain": "blocks-ai.lab", "visibility": "private"}, keyed)
    answer = call(base, "/api/v1/resolve?domain=open.lab")
    receipt = call(base, "/api/v1/preflight", {"domain": "open.lab", "action": "read"})
    call(base, "/api/v1/outcome", {"domain": "open.lab", "action": "read", "status": 200})
    log = call(base, "/api/v1/log")

    def days():
        return call(base, "/proof.json")["days"]

    wait_for("a cosignature", lambda: answers(f"{base}/api/v1/log/witness/latest"))
    wait_for("a sealed day", days)
    day = days()[0]["day"]

    wait_for("the timestamps of the day", lambda: answers(f"{base}/proof/{day}.ots"))
    head = log["head"]
    size = head["tree_size"]
    return {
        "domains": DOMAINS,
        "pages": ["https://open.lab/", "https://blocks-ai.lab/menu"],
        "ids": [public["id"], private["id"]],
        "seals": {"sha256": public["sha256"], "id": public["id"], "day": day},
        "kinds": ["svc-scan", "svc-resolve", "svc-report", "svc-error"],
        "leaf": answer["transparency"]["leaf_hash"],
        "tree_size": size,
        "batch": head["batch"],
        "tile": f"0/000.p/{size}",
        "heads_file": "000000000.jsonl",
        "decisions": [receipt["sha256"], answer["sha256"]],
        "build": answer["code"]["version_id"],
        "licence_key": licence_key,
        "day": day,
    }


def claim(wayleave, lab, base, domain):
    begun = call(base, f"/registry/{domain}/claim", {"method": "dns_txt"})
    publish = [wayleave, "lab", "publish", domain, "--txt", begun["value"], "--lab", lab]
    subprocess.run(publish, check=True, stdout=subprocess.DEVNULL)
    owner = {"authorization": f"Bearer {begun['claim_secret']}"}
    call(base, f"/registry/{domain}/claim/verify", {"claim_id": begun["claim_id"]}, owner)
    return begun, owner, call(base, "/api/scan", {"domain": domain})["id"]


def prove_control(wayleave, lab, base):
    """Claims two domains of the lab, and objects to a reading of one of them."""
    _, owner, scan = claim(wayleave, lab, base, DISPUTED)
    dispute = {"record": scan, "reason": "It was a test."}
    dispute = call(base, f"/registry/{DISPUTED}/dispute", dispute, owner)
    begun, _, scan = claim(wayleave, lab, base, OWNED)
    return {
        "domain": OWNED,
        "base": base,
        "claim_id": begun["claim_id"],
        "secret": begun["claim_secret"],
        "scan": scan,
        "dispute": {"domain": DISPUTED, "id": dispute["id"]},
        "publish": [wayleave, "lab", "publish", OWNED, "--lab", lab, "--txt"],
    }


def create_licence(wayleave, data):
    arguments = [wayleave, "licence", "create", "--all-domains", "--store-data-dir", data, "--json"]
    made = subprocess.run(arguments, check=True, capture_output=True, text=True)
    return json.loads(made.stdout)["key"]


def run_schemathesis(base, folder, licence_key, fixtures, max_examples):
    (folder / "fixtures.json").write_text(json.dumps(fixtures), encoding="utf-8")
    config = folder / "schemathesis.toml"
    config.write_text(
        f"""
seed = {SEED}
continue-on-failure = true
[cache]
enabled = false
[generation]
max-examples = {max_examples}
no-shrink = true
database = "none"
[auth.openapi.licence_key]
api_key = "{licence_key}"
[auth.openapi.bearer]
bearer = "{licence_key}"
""",
        encoding="utf-8",
    )
    answered = folder / "answered.txt"
    environment = {
        **os.environ,
        "PYTHONPATH": str(HERE),
        "CONTRACT_FIXTURES": str(folder / "fixtures.json"),
        "CONTRACT_ANSWERED": str(answered),
        "SCHEMATHESIS_HOOKS": "hooks",
    }
    program = pathlib.Path(sys.executable).with_name("schemathesis")
    arguments = [str(program), "--config-file", str(config), "run", base + "/openapi.json", "--checks", "all"]
    arguments += ["--phases", "examples,coverage,fuzzing,stateful", "--workers", "1", "--no-color"]
    ended = subprocess.run(arguments, cwd=folder, env=environment, check=False, timeout=MAX_SECONDS)
    statuses = collections.defaultdict(collections.Counter)
    for line in answered.read_text(encoding="utf-8").splitlines():
        operation, status = line.rsplit(" ", 1)
        statuses[operation][int(status)] += 1
    return ended.returncode, statuses


def main():
    wayleave = str(pathlib.Path(sys.argv[1]).resolve())
    max_examples = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wayleave-contract-") as name:
        folder = pathlib.Path(name)
        data = str(folder / "data")
        run_census(wayleave, folder, data)
        licence_key = create_licence(wayleave, data)
        with open(folder / "demo.log", "w", encoding="utf-8") as log:
            demo, base, _ = start_demo(wayleave, data, log)
            with demo:
                log_key = call(base, "/api/v1/log")["checkpoint"]["vkey"]
            witness, address = start_witness(wayleave, folder, log_key)
            # Not before: days are timestamped by the calendar of the lab that runs with the demo.
            copy_scan_to_the_past(data)
            demo, base, lab = start_demo(wayleave, data, log, "--proof-witnesses", address)
            with witness, demo:
                fixtures = make_fixtures(base, licence_key)
                fixtures["owner"] = prove_control(wayleave, lab, base)
                code, statuses = run_schemathesis(base, folder, licence_key, fixtures, max_examples)
                document = call(base, "/openapi.json")
    operations = {
        operation["operationId"]
        for path in document["paths"].values()
        for operation in path.values()
        if isinstance(operation, dict) and "operationId" in operation
    }
    # Read at the start; Schemathesis does not call it again.
    statuses["openapiDocument"][200] += 1
    calls = sum(sum(counts.values()) for counts in statuses.values())
    unreached = sorted(
        operation for operation in operations if not any(200 <= status < 300 for status in statuses[operation])
    )
    print(f"{calls} calls of {len(operations)} operations in {time.monotonic() - begun:.0f} s")
    for operation in unreached:
        print(f"never succeeded: {operation} {dict(statuses[operation])}")
    sys.exit(1 if code or unreached else 0)


if __name__ == "__main__":
    main()
