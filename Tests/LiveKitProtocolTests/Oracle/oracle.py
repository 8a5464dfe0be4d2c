"""Compares messages with the generated classes of the PyPI package livekit-protocol.

Usage: oracle.py INPUT OUTPUT. INPUT has the tables of the tests' messages and messages in three forms; OUTPUT gets what differs,
and random messages in the same three forms.
"""

import base64
import json
import random
import sys

from google.protobuf import json_format
from livekit.protocol import agent, agent_dispatch, egress, ingress, models, room, rtc, webhook

MODULES = [rtc, models, room, egress, ingress, agent_dispatch, agent, webhook]
KINDS = {1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 8: "bool", 9: "text", 12: "bytes", 13: "uint32"}
failures = []


def message_class(name):
    first, *rest = name.split(".")
    found = next(getattr(m, first) for m in MODULES if hasattr(m, first))
    for part in rest:
        found = getattr(found, part)
    return found


def short(name):
    return name.removeprefix("livekit.")


def check_schema(schema):
    for name, fields in schema.items():
        descriptor = message_class(name).DESCRIPTOR
        for field in fields:
            theirs = descriptor.fields_by_name.get(field["name"])
            if theirs is None:
                failures.append(f"{name}.{field['name']} does not exist")
                continue
            value, cardinality = theirs, "one"
            oneof = theirs.containing_oneof
            if theirs.message_type and theirs.message_type.GetOptions().map_entry:
                key, value = theirs.message_type.fields
                cardinality = "map" if key.type == 9 else "other map"
            elif theirs.is_repeated:
                cardinality = "list"
            elif oneof and not oneof.name.startswith("_"):
                cardinality = oneof.name
            elif oneof or theirs.message_type:
                cardinality = "optional"
            if value.message_type:
                kind = short(value.message_type.full_name)
            elif value.enum_type:
                kind = short(value.enum_type.full_name)
                names = {v.name: v.number for v in value.enum_type.values}
                if names != field["names"]:
                    failures.append(f"{kind}: {names} are {field['names']}")
            else:
                kind = KINDS[value.type]
            expected = (theirs.number, theirs.json_name, kind, cardinality)
            actual = tuple(field[k] for k in ("number", "camelName", "kind", "cardinality"))
            if expected != actual:
                failures.append(f"{name}.{theirs.name} is {actual}, not {expected}")


def without_null(value):
    if isinstance(value, dict):
        return {k: without_null(v) for k, v in value.items() if v is not None}
    return [without_null(v) for v in value] if isinstance(value, list) else value


def complete(message):
    return json_format.MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def trimmed(document, name, schema):
    """Drops the members that the tests' tables do not have."""
    known = {f["name"]: f for f in schema[name]}
    result = {}
    for key, value in document.items():
        field = known.get(key)
        if field is None:
            continue
        if field["kind"] in schema:
            if field["cardinality"] == "list":
                value = [trimmed(v, field["kind"], schema) for v in value]
            else:
                value = trimmed(value, field["kind"], schema)
        result[key] = value
    return result


def check_sample(sample, schema):
    """The three forms are the same message, and the JSON is what this package writes too."""
    name = sample["message"]
    message = message_class(name).FromString(base64.b64decode(sample["protobuf"]))
    if "original" in sample and message != message_class(name).FromString(base64.b64decode(sample["original"])):
        failures.append(f"{name} differs from the original: {message}")
    for form in ("twirp", "webhook"):
        if json_format.Parse(sample[form], message_class(name)()) != message:
            failures.append(f"{name} as {form} JSON is another message: {sample[form]}, not {message}")
    expected = trimmed(complete(message), name, schema)
    if without_null(json.loads(sample["twirp"])) != expected:
        failures.append(f"{name} is {sample['twirp']}, not {json.dumps(expected)}")
    if json.loads(sample["webhook"]) != json_format.MessageToDict(message):
        failures.append(f"{name} is {sample['webhook']}, not {json_format.MessageToJson(message)}")


def random_value(field, schema, depth):
    kind = field["kind"]
    if kind == "bool":
        return random.random() < 0.5
    if kind in ("int32", "int64", "uint32", "uint64"):
        bits = int(kind.removeprefix("u").removeprefix("int"))
        low, high = (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return random.choice([0, 1, low, high, random.randint(low, high)])
    if kind in ("float", "double"):
        return random.choice([0.0, 0.1, -2.5, 1e-9, float("inf"), random.randint(0, 999) / 8])
    if kind == "text":
        return "".join(random.choice('aZ"\\\n\x01é房🎤/\u2028') for _ in range(random.randint(0, 12)))
    if kind == "bytes":
        return random.randbytes(random.randint(0, 40))
    return random.choice([*field["names"].values(), 99])


def fill(message, name, schema, depth=5):
    for field in schema[name]:
        if random.random() < 0.4 or depth == 0:
            continue
        is_message = field["kind"] in schema
        key = field["name"]
        count = random.randint(0, 3)
        if field["cardinality"] == "map":
            for _ in range(count):
                getattr(message, key)[random_value({"kind": "text"}, schema, depth)] = random_value(field, schema, depth)
        elif field["cardinality"] == "list":
            for _ in range(count):
                if is_message:
                    fill(getattr(message, key).add(), field["kind"], schema, depth - 1)
                else:
                    getattr(message, key).append(random_value(field, schema, depth))
        elif is_message:
            getattr(message, key).SetInParent()
            fill(getattr(message, key), field["kind"], schema, depth - 1)
        else:
            value = random_value(field, schema, depth)
            setattr(message, key, value)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    schema = given["schema"]["messages"]
    check_schema(schema)
    for sample in given["samples"]:
        check_sample(sample, schema)
    random.seed(given["seed"])
    made = []
    for name in given["messages"]:
        for _ in range(given["count"]):
            message = message_class(name)()
            fill(message, name, schema)
            made.append(
                {
                    "message": name,
                    "protobuf": base64.b64encode(message.SerializeToString()).decode(),
                    "twirp": json.dumps(complete(message)),
                    "webhook": json_format.MessageToJson(message),
                }
            )
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({"failures": failures[:20], "samples": made}, file)


main()
