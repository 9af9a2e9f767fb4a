"""Prints the operations of the vendor's SDK as JSON: for each "METHOD /path" the names of what it sends and reads.

A name is the path to a field, such as "transactions[].amount"; a parameter of the query has a "?" before it.
"""

import ast
import importlib
import inspect
import json
import pkgutil
import typing

import pydantic
import sumup
import typing_extensions


def names(of, path="", seen=()):
    """Returns the paths to the fields of a type."""
    args = typing.get_args(of)
    if typing.get_origin(of) in (typing.Annotated, typing.Required, typing.NotRequired):
        return names(args[0], path, seen)
    if typing.get_origin(of) in (list, typing.get_origin(typing.Sequence[int])):
        return names(args[0], path + "[]", seen)
    if args:  # of a union
        return {name for arg in args for name in names(arg, path, seen)}
    if of in seen or not inspect.isclass(of):
        return set()
    if issubclass(of, pydantic.BaseModel):
        fields = {f.alias or name: f.annotation for name, f in of.model_fields.items()}
    elif typing_extensions.is_typeddict(of):
        fields = typing_extensions.get_type_hints(of)
    else:
        return set()
    found = set()
    for name, kind in fields.items():
        at = f"{path}.{name}" if path else name
        found |= {at} | names(kind, at, (*seen, of))
    return found


def keys(function, of):
    """Returns the keys that a function sets in one of its dictionaries, with the parameters they are set from."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            target = node.targets[0]
            if getattr(target.value, "id", "") == of:
                yield target.slice.value, next(n.id for n in ast.walk(node.value) if isinstance(n, ast.Name) and n.id != "list")


def operations():
    """Yields each operation with what it sends and reads, from the source of the SDK's resources.

    Evaluating the f-string of a path fills {} into each of its values.
    """
    for package in pkgutil.iter_modules(sumup.__path__):
        if not package.ispkg or package.name == "types":
            continue
        module = importlib.import_module(f"sumup.{package.name}.resource")
        for node in ast.parse(inspect.getsource(module)).body:
            if not isinstance(node, ast.ClassDef) or node.name.startswith("Async") or not node.name.endswith("Resource"):
                continue
            for function in node.body:
                call = next((n for n in ast.walk(function) if isinstance(n, ast.Call)
                             and ast.unparse(n.func).startswith("self._client.")), None)
                if call is None:
                    continue
                hints = typing.get_type_hints(getattr(getattr(module, node.name), function.name), include_extras=True)
                path = eval(ast.unparse(call.args[0]), {p: "{}" for p in hints})
                body = set()
                for key, parameter in keys(function, "body_data"):
                    body |= {key} | names(hints[parameter], key)
                query = {"?" + key for key, _ in keys(function, "query_data")}
                yield f"{call.func.attr.upper()} {path}", {
                    "sends": sorted(body | query), "reads": sorted(names(hints.get("return")))}


print(json.dumps(dict(operations()), indent=1))
