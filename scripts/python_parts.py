#!/usr/bin/env python3
"""Builders for Python, of the schema of scenarios.

  scripts/python_parts.py write PETRIO    writes python/petrio/parts.py
  scripts/python_parts.py check [PETRIO]  says whether it is what the schema says; without the command, by the package that is installed
"""

import json
import keyword
import re
import subprocess
import sys
import textwrap
from pathlib import Path

OUT = Path(__file__).parents[1] / "python" / "petrio" / "parts.py"
WIDTH = 140

HEAD = '''"""Builders for every part of a scenario, with completion and documentation in an editor.

::

    from petrio import parts, run
    run(parts.Scenario(
        disk={"d": parts.Disk(model="seagate-cheetah-9lp", count=2)},
        workload={"w": parts.SyntheticWorkload(on="d*", requests=1000, generators=[...])},
    ))

What is left out has the scenario's default. Keys of Python's own get an underscore (``with_``). Quantities are texts with their unit
(``"64 KiB"``) or :mod:`petrio.units`. Nothing is checked here: whoever uses a scenario is told what is wrong with it, and where.

Made from the schema by scripts/python_parts.py: change the schema.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Literal


class Part:
    """What all builders have in common."""

    #: What a field is called in a scenario, where Python has no such name.
    _keys: ClassVar[dict[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """What was given, by the scenario's keys."""
        given = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))  # type: ignore[arg-type]
        return {self._keys.get(name, name): value for name, value in given if value is not None}
'''


class Builders:
    def __init__(self, schema):
        self.defs = dict(schema["$defs"])
        self.root = schema

    def resolved(self, of):
        """What a reference stands for."""
        while "$ref" in of:
            of = self.defs[of["$ref"].rsplit("/", 1)[1]]
        return of

    def properties(self, of, seen=()):
        """All keys that some form of it has, each with how the schema describes it first."""
        found = dict(of.get("properties", {}))
        if "$ref" in of:
            # What stands beside a reference holds besides.
            found |= {key: value for key, value in self.properties(self.resolved(of), seen).items() if key not in found}
        for form in of.get("oneOf", []) + of.get("anyOf", []) + of.get("allOf", []):
            if id(form) in seen:
                continue
            for key, value in self.properties(form, (*seen, id(form))).items():
                if key in found:
                    found[key] = self.both(found[key], value)
                else:
                    found[key] = value
        return found

    def both(self, one, other):
        """Of a key that each form has a word of its own for: all of them."""
        words = [*self.words(one), *self.words(other)]
        if not words:
            return one
        described = {key: one[key] for key in ("description",) if key in one}
        return {**described, "enum": list(dict.fromkeys(words))}

    def words(self, of):
        if "const" in of:
            return [of["const"]]
        if "enum" in of:
            return [word for word in of["enum"] if word is not None]
        if "oneOf" in of and all("const" in one or "enum" in one for one in of["oneOf"]):
            return [word for one in of["oneOf"] for word in self.words(one)]
        return []

    def builds(self, name):
        """Whether there is a builder for a definition: it has keys."""
        return name in self.defs and bool(self.properties(self.defs[name]))

    def type_of(self, of):
        if "$ref" in of:
            name = of["$ref"].rsplit("/", 1)[1]
            return f"{class_name(name)} | dict[str, Any]" if self.builds(name) and not self.is_text(of) else self.type_of(self.defs[name]) if name != "Any" else "Any"
        words = self.words(of)
        if words and all(isinstance(word, str) for word in words):
            return f"Literal[{', '.join(json.dumps(word) for word in words)}]" if len(words) <= 24 else "str"
        kinds = of.get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds or []
        kinds = [kind for kind in kinds if kind != "null"]
        if len(kinds) == 1 and "oneOf" not in of and "anyOf" not in of:
            kind = kinds[0]
            if kind == "array":
                items = of.get("items")
                return f"list[{self.type_of(items)}]" if isinstance(items, dict) else "list[Any]"
            if kind == "object":
                values = of.get("additionalProperties")
                return f"dict[str, {self.type_of(values)}]" if isinstance(values, dict) else "dict[str, Any]"
            return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}.get(kind, "Any")
        forms = [form for form in of.get("anyOf", []) + of.get("oneOf", []) if form.get("type") != "null"]
        types = list(dict.fromkeys(part for form in forms for part in self.type_of(form).split(" | ")))
        if "Any" in types or not types:
            return "Any"
        return " | ".join(types)

    def is_text(self, of):
        """Whether it may be a text alone, too: then keys are only one form of it."""
        return False

    def forms(self, name):
        """The forms of a definition that a word of `kind` tells apart, by a name for each."""
        for form in self.defs[name].get("anyOf", []) + self.defs[name].get("oneOf", []):
            kind = form.get("properties", {}).get("kind", {}).get("const")
            if kind:
                yield "".join(word.capitalize() for word in kind.split("-")) + class_name(name), form

    def class_text(self, name, of):
        described = of.get("description") or self.resolved(of).get("description", "")
        lines = ["@dataclass(kw_only=True)", f"class {name}(Part):", *docstring(described or f"{name}.", 4)]
        fields = self.properties(of)
        if renamed := {field_name(key): key for key in fields if field_name(key) != key}:
            lines += ["", f"    _keys = {json.dumps(renamed)}"]
        for key, value in sorted(fields.items(), key=lambda one: one[0] != "kind"):
            lines.append("")
            fixed = value.get("const") if key == "kind" else None
            if fixed:
                lines.append(f"    kind: Literal[{json.dumps(fixed)}] = {json.dumps(fixed)}")
                continue
            lines.append(f"    {field_name(key)}: {self.type_of(value)} | None = None")
            described = value.get("description") or self.resolved(value).get("description", "")
            lines += docstring(described, 4) if described else []
        return "\n".join(lines)

    def text(self):
        classes = {class_name(name): of for name, of in self.defs.items() if self.builds(name)}
        for name in list(self.defs):
            classes |= dict(self.forms(name))
        classes["Scenario"] = self.root
        texts = [self.class_text(name, classes[name]) for name in sorted(classes)]
        names = ", ".join(f'"{name}"' for name in sorted(classes))
        listed = textwrap.fill(names, WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        return HEAD + f"\n\n__all__ = [\n{listed},\n]\n\n\n" + "\n\n\n".join(texts) + "\n"


def class_name(name):
    return re.sub(r"\W", "", name[0].upper() + name[1:])


def field_name(key):
    key = key.replace("-", "_")
    return key + "_" if keyword.iskeyword(key) else key


def docstring(text, indent):
    """A docstring of the width of the rest; what the schema wraps is wrapped anew."""
    space = " " * indent
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.replace("\\", "\\\\").split("\n\n")]
    wrapped = [textwrap.wrap(paragraph, WIDTH - indent - 3, break_long_words=False, break_on_hyphens=False) for paragraph in paragraphs if paragraph]
    lines = [line for paragraph in wrapped for line in [*paragraph, ""]][:-1]
    if not lines:
        return []
    lines = [line.replace('"""', "'''") for line in lines]
    if lines[-1].endswith('"'):
        lines[-1] += " "
    if len(lines) == 1:
        return [f'{space}"""{lines[0]}"""']
    return [f'{space}"""{lines[0]}', *[f"{space}{line}".rstrip() for line in lines[1:]], f'{space}"""']


def schema_of(command):
    """The schema, as the command prints it or the package has it."""
    if command is None:
        import petrio

        return petrio.schema()
    return json.loads(subprocess.run([command, "schema"], capture_output=True, check=True, text=True).stdout)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in ("write", "check"):
        sys.exit(__doc__)
    text = Builders(schema_of(sys.argv[2] if len(sys.argv) == 3 else None)).text()
    if sys.argv[1] == "write":
        OUT.write_text(text, encoding="utf-8")
    elif not OUT.exists() or OUT.read_text(encoding="utf-8") != text:
        sys.exit(f"{OUT.name} isn't what the schema says\nhelp: scripts/python_parts.py write target/debug/petrio")


if __name__ == "__main__":
    main()
