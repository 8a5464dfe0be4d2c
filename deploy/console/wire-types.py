#!/usr/bin/env python3
"""Prints the schemas of api/openapi.yaml, and what each GET answers, as TypeScript types in the namespace Wire. Usage: wire-types.py OPENAPI"""
import sys

import yaml


def name_of(schema):
    return schema["$ref"].rsplit("/", 1)[1]


def type_of(schema):
    if "$ref" in schema:
        return name_of(schema)
    if "allOf" in schema:
        text = " & ".join(type_of(part) for part in schema["allOf"])
    elif "enum" in schema:
        text = " | ".join(f"'{value}'" for value in schema["enum"])
    elif "properties" in schema or schema.get("type") == "object":
        text = members(schema)
    elif schema.get("type") == "array":
        text = f"Array<{type_of(schema['items'])}>"
    else:
        text = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}[schema["type"]]
    return f"{text} | null" if schema.get("nullable") else text


def members(schema):
    required = schema.get("required", [])
    parts = [f"{name}{'' if name in required else '?'}: {type_of(each)}" for name, each in schema.get("properties", {}).items()]
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        parts.append(f"[key: string]: {type_of(others)}")
    return f"{{ {'; '.join(parts)} }}" if parts else "{}"


with open(sys.argv[1], encoding="utf-8") as file:
    document = yaml.safe_load(file)
schemas = document["components"]["schemas"]
print("// Made from api/openapi.yaml by wire-types.py; do not edit.")
print("declare namespace Wire {")
for name, schema in schemas.items():
    print(f"  type {name} = {type_of(schema)}")
print("  // What a GET answers, by its path.")
print("  type Answers = {")
for path, item in document["paths"].items():
    answer = item.get("get", {}).get("responses", {}).get("200", {}).get("content", {}).get("application/json")
    if answer:
        print(f"    '{path}': {type_of(answer['schema'])}")
print("  }")
print("}")
