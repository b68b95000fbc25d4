"""Keywords of functions, by the table that is made of the headers: their signatures, and the structs that they fill."""

from __future__ import annotations

import ctypes
import functools
import inspect
import math
import os
from operator import index
from typing import Any, Callable, Dict, Iterable, List, Mapping, TypeVar

from . import _abi, _library
from ._control import handle_of

_LIMITS = {"uint32": 1 << 32, "uint64": 1 << 64, "size_t": 1 << 64}
_SPECIAL: Dict[str, Any] = {"canceller": handle_of}


def number_of_enum(kind: Any, keyword: str, value: Any) -> int:
    """The number of an enum's member that was given as such, by its name in any case, or as a number."""
    if isinstance(value, str):
        try:
            return int(kind[value.upper().replace("-", "_")])
        except KeyError:
            names = ", ".join(repr(one.name.lower()) for one in kind)
            raise ValueError(f"{keyword} is {value!r}; choose one of {names}") from None
    try:
        return int(kind(index(value)))
    except (TypeError, ValueError):
        raise ValueError(f"{keyword} is {value!r}, which is not a {kind.__name__}") from None


def whole_number(keyword: str, value: Any, limit: int = 1 << 32) -> int:
    """A number that fits into C's type: ctypes would cut off what does not."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{keyword} must be a whole number, not {type(value).__name__}") from None
    if not 0 <= number < limit:
        raise ValueError(f"{keyword} is {number}; it must be 0 to {limit - 1}")
    return number


def nanoseconds(keyword: str, value: Any) -> int:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{keyword} must be a number of seconds, not {type(value).__name__}") from None
    if not 0 <= seconds < 1e9:  # also not a number
        raise ValueError(f"{keyword} is {seconds} s; it must be 0 or more, and below {1e9:g}")
    return math.ceil(seconds * 1e9)


def text(keyword: str, value: Any) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{keyword} must be a str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{keyword} has a NUL character")
    return value.encode("utf-8", "surrogateescape")


def no_text(keyword: str, values: Any, wanted: str = "a list") -> Any:
    """Several values; anything else raises TypeError, also a text, whose letters would be taken for them."""
    if isinstance(values, (str, bytes, bytearray)) or not (
        hasattr(values, "__iter__") or hasattr(values, "__getitem__")
    ):
        raise TypeError(f"{keyword} must be {wanted}, not {type(values).__name__}")
    return values


def float_of(keyword: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{keyword} must be a number, not {type(value).__name__}") from None


def floats_of(keyword: str, values: Any, names: str) -> List[float]:
    """As many numbers as there are `names`, such as "x, y, width, height"."""
    found = [float_of(f"each number of {keyword}", value) for value in no_text(keyword, values, names)]
    count = names.count(",") + 1
    if len(found) != count:
        raise ValueError(f"{keyword} must be {names}: {count} numbers, not {len(found)}")
    return found


def array_of(keyword: str, values: Any, columns: int) -> Any:
    """A new array of N × `columns` float32."""
    import numpy as np

    try:
        return np.array(values, np.float32).reshape(-1, columns)
    except (TypeError, ValueError):
        shape = getattr(values, "shape", None)
        given = f"an array of the shape {shape}" if shape else type(values).__name__
        raise (ValueError if shape else TypeError)(f"{keyword} must be N × {columns} numbers, not {given}") from None


def path_of(keyword: str, value: Any) -> bytes:
    """The name of a file or folder, as C reads it."""
    try:
        return os.fsencode(value)
    except TypeError:
        raise TypeError(f"{keyword} must be a path, not {type(value).__name__}") from None


def keywords_of(keyword: str, value: Any) -> Mapping[str, Any]:
    """The options in a dictionary that was given as one argument."""
    if value is None or isinstance(value, Mapping):
        return value or {}
    raise TypeError(f"{keyword} must be a dict of options, not {type(value).__name__}")


def colour_number(keyword: str, value: Any) -> int:
    """0xRRGGBBAA of a colour: this number, a text of face_draw_colour_from_text, or red, green, blue and perhaps alpha, 0 to 255."""
    if isinstance(value, str):
        colour = ctypes.c_uint32()
        if _library.draw.face_draw_colour_from_text(text(keyword, value), ctypes.byref(colour)) != 0:
            raise ValueError(f"{keyword}: {_library.draw.face_draw_last_error().decode()}")
        return colour.value
    if isinstance(value, (tuple, list)):
        if len(value) not in (3, 4):
            raise ValueError(f"{keyword} has {len(value)} numbers; give red, green, blue and perhaps alpha")
        return int.from_bytes(bytes(whole_number(keyword, number, 256) for number in (*value, 255)[:4]), "big")
    return whole_number(keyword, value)


def _floats(struct: Any, member: str, values: Any) -> None:
    target = getattr(struct, member)
    names = [name for name, _ in target._fields_]
    for name, number in zip(names, floats_of(member, values, ", ".join(names))):
        setattr(target, name, number)


def _numbers(struct: Any, member: str, values: Any) -> None:
    """By their places, which may be the members of an enum."""
    target = getattr(struct, member)
    for place, number in values.items() if isinstance(values, Mapping) else enumerate(no_text(member, values)):
        if not 0 <= whole_number(f"each place of {member}", place) < len(target):
            raise ValueError(f"{member} has no index {place}; there are {len(target)} places")
        target[place] = float_of(f"each number of {member}", number)


def _enums(struct: Any, member: str, kind: Any, values: Any) -> None:
    target = getattr(struct, member)
    if isinstance(values, (str, int)):
        values = [values]
    numbers = [number_of_enum(kind, member, value) for value in no_text(member, values)]
    if len(numbers) > len(target):
        raise ValueError(f"{member} has {len(numbers)} members; give at most {len(target)}")
    for place, number in enumerate(numbers):
        target[place] = number
    setattr(struct, member[:-1] + "_count", len(numbers))


def _structs(struct: Any, member: str, kind: str, count: str, values: Any) -> None:
    rows = [
        tuple(float_of(f"each number of {member}", number) for number in no_text(member, value))
        for value in no_text(member, values)
    ]
    struct_type = getattr(_abi, kind)
    if any(len(row) != len(struct_type._fields_) for row in rows):
        raise ValueError(f"each of {member} must be {len(struct_type._fields_)} numbers")
    # No rows are not the same as NULL: an array of one has an address.
    array = (struct_type * max(1, len(rows)))(*(struct_type(*row) for row in rows))
    setattr(struct, member, ctypes.cast(array, ctypes.POINTER(struct_type)))
    setattr(struct, count, len(rows))


def _set(struct: Any, keyword: str, code: str, value: Any) -> None:
    kind, _, detail = code.partition(":")
    if kind == "output":
        if value:
            struct.outputs |= int(detail)
    elif kind in ("float", "double"):
        try:
            setattr(struct, keyword, value)
        except TypeError:
            raise TypeError(f"{keyword} must be a number, not {type(value).__name__}") from None
    elif kind in _LIMITS:
        setattr(struct, keyword, whole_number(keyword, value, _LIMITS[kind]))
    elif kind == "seconds":
        setattr(struct, detail, nanoseconds(keyword, value))
    elif kind == "colour":
        setattr(struct, keyword, colour_number(keyword, value))
    elif kind == "enum":
        setattr(struct, keyword, number_of_enum(getattr(_abi, detail), keyword, value))
    elif kind == "enums":
        _enums(struct, keyword, getattr(_abi, detail), value)
    elif kind == "structs":
        name, _, count = detail.partition(":")
        _structs(struct, keyword, name, count, value)
    elif kind == "text":
        setattr(struct, keyword, text(keyword, value))
    elif kind == "numbers":
        _numbers(struct, keyword, value)
    elif kind == "floats":
        _floats(struct, keyword, value)
    elif keyword in _SPECIAL:
        setattr(struct, keyword, _SPECIAL[keyword](value))
    elif isinstance(getattr(value, "_struct", None), ctypes.Structure):
        setattr(struct, keyword, ctypes.pointer(value._struct))
    else:
        raise TypeError(f"{keyword} cannot be a {type(value).__name__}")


def fill(struct_type: Any, keywords: Mapping[str, Any], library: _library.Library = _library.face) -> Any:
    """A struct of options with its defaults, and `keywords` that are not None."""
    struct = _library.fresh(struct_type, library)
    if keywords:
        table = _abi.OPTIONS[struct_type.__name__]
        for keyword, value in keywords.items():
            if keyword not in table:
                raise _unknown("the options have", keyword, table)
            if value is not None:
                _set(struct, keyword, table[keyword].code, value)
    return struct


def split(keywords: Mapping[str, Any], *struct_types: Any) -> Any:
    """The keywords of each struct of options: of the first one that knows it."""
    parts: Any = [{} for _ in struct_types]
    for keyword, value in keywords.items():
        for struct_type, part in zip(struct_types, parts):
            if keyword in _abi.OPTIONS[struct_type.__name__]:
                part[keyword] = value
                break
        else:
            raise _unknown(
                "the options have", keyword, [name for one in struct_types for name in _abi.OPTIONS[one.__name__]]
            )
    return parts


def _unknown(owner: str, keyword: str, known: Iterable[str]) -> TypeError:
    import difflib

    near = difflib.get_close_matches(keyword, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
    return TypeError(f"{owner} no keyword {keyword!r}: {hint}")


_Function = TypeVar("_Function", bound=Callable[..., Any])


def takes(*struct_types: Any) -> Callable[[_Function], _Function]:
    """Gives the `**options` of a function the names, types, defaults and texts of these structs' keywords."""

    def decorate(function: _Function) -> _Function:
        signature = inspect.signature(function)
        parameters = [one for one in signature.parameters.values() if one.kind != inspect.Parameter.VAR_KEYWORD]
        known = {name: option for one in struct_types for name, option in _abi.OPTIONS[one.__name__].items()}
        names = [one.name for one in parameters if one.name != "self"]

        @functools.wraps(function)
        def checked(*arguments: Any, **keywords: Any) -> Any:
            for keyword in keywords:
                if keyword not in known and keyword not in names:
                    raise _unknown(f"{function.__name__}() has", keyword, [*names, *known])
            return function(*arguments, **keywords)

        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type)
            for name, option in known.items()
        ]
        described: Any = checked
        described.__signature__ = signature.replace(parameters=parameters)
        if function.__doc__:  # none with python -OO
            described.__doc__ = "\n".join(
                [inspect.cleandoc(function.__doc__), "", "Options:", "", *map(_described, known.items())]
            )
        return described  # type: ignore[no-any-return]

    return decorate


def _described(item: Any) -> str:
    name, option = item
    text = option.text.replace("\n", "\n    ")
    return f"{name}: {option.type}{'' if option.default is None else f' = {option.default!r}'}\n    {text}"
