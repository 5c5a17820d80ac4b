"""Recomputes an exported log and its answers with libraries of others: rfc8785, hashlib, cryptography.

Usage: check_log.py BRAND LOG_FOLDER ANSWER_FILE...

Every digest, signature, leaf, batch root, tree root and link between heads is made again from the documents
alone. Says in JSON how many of each it looked at; fails at the first that does not hold.
"""
import base64
import hashlib
import json
import pathlib
import sys

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sha(data):
    return hashlib.sha256(data)


def check_seal(document, brand, keys):
    """The digest over everything but two members, and the signature over the digest."""
    covered = {name: value for name, value in document.items() if name not in ("sha256", "signature")}
    digest = sha(rfc8785.dumps(covered)).hexdigest()
    assert digest == document["sha256"], "digest"
    block = document["signature"]
    message = f"{brand}-data-v1\n{digest}"
    assert message == block["message"], "message"
    jwk = block["key"]["jwk"]
    thumbprint = sha(rfc8785.dumps({name: jwk[name] for name in ("crv", "kty", "x")})).digest()
    kid = base64.urlsafe_b64encode(thumbprint).rstrip(b"=").decode()
    assert kid == block["kid"] == block["key"]["kid"], "thumbprint"
    assert kid in keys, "published"
    # Raises when the signature is not this key's.
    Ed25519PublicKey.from_public_bytes(unpadded(keys[kid])).verify(unpadded(block["sig"]), message.encode())


def leaf_of(answer, brand):
    actions = {}
    for name, action in answer["actions"].items():
        action = action if isinstance(action, dict) else {}
        doubts = sorted(action.get("doubts") or [], key=lambda text: text.encode("utf-16-be"))
        actions[name] = {"decision": action.get("decision"), "doubts": doubts}
    pending = (answer.get("high_risk_fields") or {}).get("pending") or []
    suspected = (answer.get("impersonation") or {}).get("verdict") == "suspected"
    content = {
        "log": f"{brand}-resolve-log-v1",
        "domain": answer["domain"],
        "status": answer["status"],
        "actions": actions,
        "report": (answer.get("evidence") or {}).get("report"),
        "observed_at": (answer.get("freshness") or {}).get("observed_at"),
        "incident": (answer.get("incident") or {}).get("since"),
        "impersonation": "suspected" if suspected else None,
        "high_risk_pending": sorted(entry["field"] for entry in pending),
    }
    return sha(b"\x00" + rfc8785.dumps(content)).digest()


def root(leaves):
    """RFC 9162, 2.1.1, as it is defined there, over leaves that are hashed already."""
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return sha(b"\x01" + root(leaves[:k]) + root(leaves[k:])).digest()


def root_by_path(leaf, index, size, path):
    """From the definition of a path (2.1.3.1), read from the root down: not the walk that verifiers use."""
    if size == 1:
        assert not path, "path too long"
        return leaf
    k = 1
    while k * 2 < size:
        k *= 2
    sibling = bytes.fromhex(path[-1])
    if index < k:
        return sha(b"\x01" + root_by_path(leaf, index, k, path[:-1]) + sibling).digest()
    return sha(b"\x01" + sibling + root_by_path(leaf, index - k, size - k, path[:-1])).digest()


def read_heads(folder):
    files = sorted((folder / "sths").iterdir())
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def read_leaves(folder, size):
    leaves = []
    for tile in range((size + 255) // 256):
        width = min(256, size - 256 * tile)
        name = f"{tile:03}" if width == 256 else f"{tile:03}.p/{width}"
        data = (folder / "tile" / "0" / name).read_bytes()
        assert len(data) == 32 * width, "tile"
        leaves += [data[at:at + 32] for at in range(0, len(data), 32)]
    return leaves


def check_heads(heads, leaves, brand, keys):
    before = None
    for head in heads:
        check_seal(head, brand, keys)
        assert head["log_id"] == f"{brand}-resolve-log-v1"
        assert head["batch"] == (before["batch"] + 1 if before else 0), "number"
        assert head["prev_sth_sha256"] == (before["sha256"] if before else None), "link"
        assert head["first_index"] == (before["tree_size"] if before else 0), "first_index"
        assert head["tree_size"] == head["first_index"] + head["batch_size"], "sum"
        batch = leaves[head["first_index"]:head["tree_size"]]
        assert batch == sorted(set(batch)), "order"
        assert root(batch).hex() == head["batch_root"], "batch_root"
        assert root(leaves[:head["tree_size"]]).hex() == head["tree_root"], "tree_root"
        before = head


def check_answer(answer, heads, leaves, brand, keys):
    check_seal(answer, brand, keys)
    place = answer["transparency"]
    leaf = leaf_of(answer, brand)
    head = heads[place["batch"]]
    assert leaf.hex() == place["leaf_hash"], "leaf"
    assert place["sth"] == head, "head"
    assert leaves[head["first_index"] + place["index"]] == leaf, "place"
    assert place["log_index"] == head["first_index"] + place["index"], "log_index"
    found = root_by_path(leaf, place["index"], place["batch_size"], place["path"])
    assert found.hex() == head["batch_root"], "path"


def main(brand, folder, *files):
    folder = pathlib.Path(folder)
    directory = json.loads((folder / "keys.json").read_text())
    rotation = json.loads((folder / "rotation.json").read_text())
    keys = {key["kid"]: key["x"] for key in directory["keys"]}
    keys.update({key["thumbprint"]: key["x"] for key in rotation["retired"]})
    heads = read_heads(folder)
    leaves = read_leaves(folder, heads[-1]["tree_size"])
    check_heads(heads, leaves, brand, keys)
    for file in files:
        check_answer(json.loads(pathlib.Path(file).read_text()), heads, leaves, brand, keys)
    print(json.dumps({"heads": len(heads), "leaves": len(leaves), "answers": len(files)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
