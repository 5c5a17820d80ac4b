"""Runs the client that is published as the Python package `crawlcheck` on documents.

Usage: public_client.py FOLDER

The folder holds keys.json, rotation.json, and documents.json: a list of [file name, whether it is known to be good].
Prints JSON that says for each document whether the client accepts it: keys and signatures are valid, and its head
is not a fork. Heads of good documents are kept from one document to the next, as a client does.
"""
import copy
import json
import pathlib
import sys

import crawlcheck


def ask(document, good, policy, store):
    try:
        result = crawlcheck.verify_document(document, policy["kids"])
        result = crawlcheck.apply_key_policy(result, document, policy)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        # What it cannot take apart it does not accept.
        return {"taken": False, "failed": [repr(error)], "head": None}
    failed = [check["id"] for check in result["checks"] if check["ok"] is False]
    if not result["accepted"]:
        return {"taken": False, "failed": failed, "head": None}
    # Retired keys are known by the rotation record.
    kids = policy["kids"] + list(policy["retired"])
    store = store if good else copy.deepcopy(store)
    head = crawlcheck.log_observe_answer(store, document, kids)["state"]
    return {"taken": head in ("new", "known", "none"), "failed": failed, "head": head}


def main(folder):
    folder = pathlib.Path(folder)

    def read(name):
        return json.loads((folder / name).read_text(encoding="utf-8"))

    policy = crawlcheck.key_policy_from(read("keys.json"), read("rotation.json"))
    store = crawlcheck.new_log_store()
    told = [ask(read(name), good, policy, store) for name, good in read("documents.json")]
    print(json.dumps({"documents": told, "heads": len(store["heads"]), "forks": len(store["forks"])}))


if __name__ == "__main__":
    main(sys.argv[1])
