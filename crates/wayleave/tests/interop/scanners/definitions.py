"""Reads the labelled definitions of crates/judge/tests/corpus/mcp, as the tests of the rules do."""
import hashlib
import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[4] / "judge/tests/corpus/mcp"

# The list that a definition of this place is in; every other place belongs to a tool.
LIST_OF_PLACE = {
    "instructions": "instructions",
    "prompt": "prompts",
    "resource": "resources",
    "template": "resourceTemplates",
}


class Definition:
    def __init__(self, line, number):
        self.id, self.place, raw = line.split(" | ", 2)
        self.list = LIST_OF_PLACE.get(self.place, "tools")
        self.set_aside = hashlib.sha256(self.id.encode()).digest()[0] < 64
        self.item = self.build(raw if self.place == "json" else unescape(raw), "tool_%d" % number)

    def build(self, text, name):
        """The one member of its list, or the text of instructions."""

        def tool(schema, description="Does something useful."):
            return {"name": name, "description": description, "inputSchema": schema}

        def given(member, schema):
            return tool({"type": "object", "properties": {member: schema}})

        nested = {"type": "object", "properties": {"y": {"type": "string", "description": text}}}
        output = {"properties": {"z": {"description": text}}}
        plain = {"type": "object"}
        match self.place:
            case "description":
                return tool(plain, text)
            case "title":
                return {"name": name, "title": text, "inputSchema": plain}
            case "name":
                return {"name": text, "inputSchema": plain}
            case "instructions":
                return text
            case "prompt":
                return {"name": name, "description": text}
            case "resource":
                return {"uri": "a://b", "name": name, "description": text, "mimeType": "text/plain"}
            case "template":
                return {"uriTemplate": "a://{b}", "name": name, "description": text}
            case "default":
                return given("x", {"type": "string", "default": text})
            case "enum":
                return given("x", {"type": "string", "enum": ["a", text]})
            case "example":
                return given("x", {"type": "string", "examples": [text]})
            case "nested":
                return given("x", nested)
            case "output":
                return {"name": name, "inputSchema": plain, "outputSchema": output}
            case "json":
                return {"inputSchema": plain, **json.loads(text)}
            case place:
                return given(place.removeprefix("param:"), {"type": "string", "description": text})


def unescape(text):
    text = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda found: chr(int(found[1], 16)), text)
    return text.replace("\\n", "\n")


def read(name):
    lines = (FOLDER / name).read_text(encoding="utf-8").split("\n")
    lines = [line for line in lines if line and not line.startswith("#")]
    return [Definition(line, number) for number, line in enumerate(lines)]


def parts():
    """(name, attacks, harmless) of each part of the corpus."""
    for attacks in sorted(FOLDER.glob("*attacks.txt")):
        harmless = attacks.name.replace("attacks", "harmless")
        both = [read(attacks.name), read(harmless)]
        if attacks.name == "attacks.txt":
            yield ("own, set aside", *([one for one in half if one.set_aside] for half in both))
            yield ("own, tuning", *([one for one in half if not one.set_aside] for half in both))
        else:
            yield (attacks.name.removesuffix("_attacks.txt"), *both)
