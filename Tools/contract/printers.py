"""Prints parts of the contract in the languages of the doors. Each printer takes the contract, the arguments of its region and the
region's indentation, and returns lines."""

import re
import textwrap

from contract import FIRST

WIDTH = 120
UNSIGNED = {2**32 - 1: "Double(UInt32.max)"}


def wrapped(text, first, others=None, width=WIDTH):
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=first if others is None else others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def camel(words):
    return words[0] + "".join(word.capitalize() for word in words[1:])


def swift_name(option):
    """The name of the flag, or else of the option without its unit."""
    return camel(option.flag.split("-") if option.flag else option.words)


def grouped(number):
    return f"{number:_}" if number >= 10_000 else str(number)


def swift_default(option):
    if option.kind == "number":
        return f": Float = {option.default:g}"
    if option.kind == "nanoseconds":
        return f": TimeSpan = {swift_span(int(option.default))}"
    return f" = {grouped(int(option.default))}"


def swift_span(nanoseconds):
    """A TimeSpan in the largest unit that it is a whole number of."""
    if not nanoseconds:
        return ".zero"
    for unit, size in (("seconds", 10**9), ("milliseconds", 10**6), ("microseconds", 1000)):
        if nanoseconds % size == 0:
            return f".{unit}({grouped(nanoseconds // size)})"
    return f".nanoseconds({grouped(nanoseconds)})"


def swift_bound(number):
    if number == float("inf"):
        return "(.infinity)"
    return UNSIGNED.get(number) or (grouped(int(number)) if number == int(number) else repr(number))


def swift_options(contract, arguments, indent):
    """swift-options TYPE MESSAGE: stored members with their defaults, and the table `fields`."""
    type_name, message = arguments
    lines = []
    for option in contract.options[message]:
        note = f"{option.range}{f' {option.unit}' if option.unit else ''}"
        text = f"{option.text} {note}." if option.kind != "nanoseconds" else option.text
        lines += wrapped(text, f"{indent}/// ", width=108)
        lines.append(f"{indent}public var {swift_name(option)}{swift_default(option)}")
    lines += [
        "",
        f"{indent}/// The numeric options, by their names in {message} and in C.",
        f"{indent}// swift-format-ignore",
        f"{indent}public static let fields: [OptionField] = [",
    ]
    for option in contract.options[message]:
        flag = "" if option.flag == "-".join(option.words) else f', flag: "{option.flag}"'
        lines.append(f"{indent}  OptionField(")
        lines.append(
            f'{indent}    "{option.name}"{flag}, \\{type_name}.{swift_name(option)}, '
            f"{swift_bound(option.least)}...{swift_bound(option.most)},"
        )
        lines.append(f'{indent}    "{option.sentence}"),')
    return lines + [f"{indent}]"]


def swift_outputs(contract, arguments, indent):
    """swift-outputs: a bit for each output, and the table of their names, flags and members of Face."""
    lines = [
        f"{indent}public static let {camel_output(output)} = FaceOutputs(rawValue: 1 << {place})"
        for place, output in enumerate(contract.outputs)
    ]
    lines += [
        "",
        f"{indent}/// Each output once, with the member of a face that it requests.",
        f"{indent}// swift-format-ignore",
        f"{indent}public static let table: [FaceOutput] = [",
    ]
    for output in contract.outputs:
        name = camel_output(output)
        lines += [
            f"{indent}  FaceOutput(",
            f'{indent}    "{output.name}", .{name}, flag: "{output.flag}", "{output.sentence}",',
            f"{indent}    {{ $0.{name} }}, {{ $0.{name} = $1 }}),",
        ]
    return lines + [f"{indent}]"]


def camel_output(output):
    return camel(output.name.split("_"))


def values(contract, enumeration):
    """The values of an enumeration, without the one that stands for none."""
    return [value for value in contract.enumerations[enumeration] if value.name != "unspecified"]


def swift_values(contract, arguments, indent):
    """swift-values ENUM: its cases, and the names of programs."""
    lines = []
    for value in values(contract, arguments[0]):
        if value.text:
            lines += wrapped(value.text, f"{indent}/// ", width=108)
        lines.append(f"{indent}case {camel(value.name.split('_'))} = {value.number}")
    return lines + [
        "",
        f"{indent}/// A stable name, for programs.",
        *swift_switch(contract, arguments[0], indent, "name", lambda value: value.name),
    ]


def swift_texts(contract, arguments, indent):
    """swift-texts ENUM: the texts for people."""
    return [
        f"{indent}/// An English text, for people.",
        *swift_switch(contract, arguments[0], indent, "text", lambda value: value.shown),
    ]


def swift_switch(contract, enumeration, indent, name, of):
    lines = [f"{indent}public var {name}: StaticString {{", f"{indent}  switch self {{"]
    for value in values(contract, enumeration):
        lines.append(f'{indent}  case .{camel(value.name.split("_"))}: "{of(value)}"')
    return lines + [f"{indent}  }}", f"{indent}}}"]


def swift_same(contract, arguments, indent):
    """swift-same ENUM OTHER: the value of another enumeration with the same name."""
    enumeration, other = arguments
    lines = [
        f"{indent}/// The value of `{other}` with the same name.",
        f"{indent}public var {other.lower()}: {other} {{",
        f"{indent}  switch self {{",
    ]
    known = {value.name for value in values(contract, other)}
    for value in values(contract, enumeration):
        if value.name not in known:
            raise KeyError(f"{other} has no {value.name}")
        name = camel(value.name.split("_"))
        lines.append(f"{indent}  case .{name}: .{name}")
    return lines + [f"{indent}  }}", f"{indent}}}"]


def c_values(contract, arguments, indent):
    """c-values ENUM PREFIX: the values of an enum of C."""
    enumeration, prefix = arguments
    lines = []
    for value in values(contract, enumeration):
        text = " ".join(filter(None, [value.text, f'"{value.shown}"' if value.shown else "", since(value)]))
        before = f"{indent}{prefix}{value.name.upper()} = {value.number},"
        lines += wrapped(f"/* {text}\N{NO-BREAK SPACE}*/", before + " ", " " * (len(before) + 4)) if text else [before]
    lines[-1] = lines[-1].replace(
        f"= {values(contract, enumeration)[-1].number},", f"= {values(contract, enumeration)[-1].number}", 1
    )
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def c_count(contract, arguments, indent):
    """c-count ENUM NAME: how many values there are."""
    return [f"{indent}#define {arguments[1]} {len(values(contract, arguments[0]))}"]


def swift_members(contract, arguments, indent):
    """swift-members C_STRUCT MESSAGE: where the C struct has each option."""
    struct, message = arguments
    return [f'{indent}CMember("{option.name}", \\{struct}.{option.name}),' for option in contract.options[message]]


def swift_switches(contract, arguments, indent):
    """swift-switches C_STRUCT MESSAGE: the switches of a C struct."""
    struct, message = arguments
    lines = []
    for switch in contract.switches[message]:
        lines += [
            f"{indent}CSwitch(",
            f'{indent}  "{switch.name}", flag: "{switch.flag}", \\{struct}.{switch.name},',
            f'{indent}  "{switch.sentence}"),',
        ]
    return lines


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def swift_messages(contract, arguments, indent):
    """swift-messages: the C structs of all messages as `Message`."""
    lines = []
    for name in contract.messages:
        lines += [
            "",
            f"{indent}extension Faceengine__V1__{name}: Message {{",
            f"{indent}  static func initialize(_ message: UnsafeMutablePointer<Self>) {{",
            f"{indent}    faceengine__v1__{snake(name)}__init(message)",
            f"{indent}  }}",
            f"{indent}}}",
        ]
    return lines[1:]


def swift_methods(contract, arguments, indent):
    """swift-methods: the cases of all methods, with service and name. A name that several services have follows the service's in
    all but the first."""
    cases, seen = [], set()
    for service, name in contract.methods:
        words = snake(name).split("_")
        cases.append((camel([snake(service.split(".")[-1]), *words] if name in seen else words), service, name))
        seen.add(name)
    lines = [f"{indent}case {case}" for case, _, _ in cases]
    for member, place in (("service", 1), ("name", 2)):
        lines += ["", f"{indent}public var {member}: StaticString {{", f"{indent}  switch self {{"]
        lines += [f'{indent}  case .{case[0]}: "{case[place]}"' for case in cases]
        lines += [f"{indent}  }}", f"{indent}}}"]
    return lines


STORES = {
    "float": "{}",
    "int32": "{}",
    "uint32": "UInt32(clamping: {})",
    "uint64": "UInt64(clamping: {})",
    "bool": "{} ? 1 : 0",
    "string": "arena.string({})",
    "bytes": "arena.bytes({})",
    "enum": ".init(UInt32({}.rawValue))",
    "message": "arena.message({})",
}
LOADS = {
    "int32": "{}",
    "uint32": ".init(clamping: {})",
    "uint64": ".init(clamping: {})",
    "bool": "{} != 0",
    "bytes": "Decoder.bytes({})",
    "float": "try Decoder.finite({}, {path})",
    "string": "try Decoder.text({}, {path})",
    "enum": "try Decoder.known({}.rawValue, {path})",
    "message": "try Decoder.value({})",
}


def swift_coding(contract, arguments, indent):
    """swift-coding TYPE MESSAGE [assigned] [FIELD=MEMBER...]: a struct as a `WireValue`. Members have the names of the fields unless
    another one is given; none leaves the field out, and one that ends in ? is optional. The struct has an initialiser with all
    members, or with "assigned" one without arguments."""
    type_name, message = arguments[:2]
    others = dict(change.split("=") for change in arguments[2:] if change != "assigned")
    stores, loads = [], []
    for field in contract.messages[message]:
        member = others.pop(field.name, camel([word for word in field.name.split("_") if word != "ns"]))
        if member:
            stores.append(f"{indent}    {stored(field, member)}")
            loads.append((member.rstrip("?"), loaded(field, message, member.endswith("?"))))
    if others:
        raise ValueError(f"{message} has no field {', '.join(others)}")
    made = [f"{indent}    self.init()", *(f"{indent}    {member} = {value}" for member, value in loads)]
    if "assigned" not in arguments:
        made = [f"{indent}    self.init("] + [f"{indent}      {member}: {value}," for member, value in loads]
        made[-1] = made[-1][:-1] + ")"
    return [
        f"{indent}extension {type_name}: WireValue {{",
        f"{indent}  func encode(into message: inout Faceengine__V1__{message}, _ arena: Arena) {{",
        *stores,
        f"{indent}  }}",
        "",
        f"{indent}  init(decoding message: Faceengine__V1__{message}) throws(Status) {{",
        *made,
        f"{indent}  }}",
        f"{indent}}}",
    ]


def stored(field, member):
    if field.repeated:
        return f"(message.n_{field.name}, message.{field.name}) = arena.list({member})"
    store = "arena.optional({})" if member.endswith("?") else STORES[field.kind]
    value = member.rstrip("?")
    return f"message.{field.name} = {store.format('self.message' if value == 'message' else value)}"


def loaded(field, message, optional):
    """The value of a field. Errors name fields of requests and responses alone, others with their message."""
    path = f'"{field.name}"' if message.endswith(("Request", "Response")) else f'"{snake(message)}.{field.name}"'
    if field.repeated:
        rest = f", {path}" if field.kind == "string" else ""
        return f"try Decoder.list(message.{field.name}, message.n_{field.name}{rest})"
    load = "try Decoder.optional({})" if optional else LOADS[field.kind]
    return load.format(f"message.{field.name}", path=path)


def since(one):
    return f"Since {one.since}." if one.since else ""


C_TYPES = {"number": "float", "count": "uint32_t", "nanoseconds": "uint64_t"}


def c_options(contract, arguments, indent):
    """c-options MESSAGE VERSION: the members of a struct that came with a version, each with its comment. A struct has one region for
    each version, behind all that it had before."""
    message, version = arguments
    lines = []
    for option in contract.options[message]:
        if version != (option.since or FIRST):
            continue
        unit = f" {option.unit}" if option.unit else ""
        facts = f"{option.range}{unit}, default {option.default_text}"
        if option.kind == "nanoseconds":
            facts = f"default {option.default_text}"
        before = f"{indent}{C_TYPES[option.kind]} {option.name}; /* "
        # The end stays on the line of the last word.
        text = " ".join(filter(None, [f"{facts}.", option.text, since(option)]))
        lines += wrapped(f"{text}\N{NO-BREAK SPACE}*/", before, " " * len(before))
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def c_outputs(contract, arguments, indent):
    """c-outputs: the bits FACE_OUTPUT_…, in the order of the outputs."""
    lines = []
    for place, output in enumerate(contract.outputs):
        text = " ".join(filter(None, [output.text, since(output)]))
        lines += wrapped(f"{text} */".replace(". */", ".\N{NO-BREAK SPACE}*/"), f"{indent}/* ", f"{indent} * ")
        lines.append(f"{indent}#define FACE_OUTPUT_{output.name.upper()} {hex(1 << place)}u")
    lines = [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
    return lines + [f"{indent}#define FACE_OUTPUT_ALL {hex((1 << len(contract.outputs)) - 1)}u /* all of them */"]


def c_valid(contract, arguments, indent):
    """c-valid: the bits FACE_VALID_… of the outputs, which are those of FACE_OUTPUT_…."""
    return [
        f"{indent}#define FACE_VALID_{output.name.upper()} {hex(1 << place)}u"
        for place, output in enumerate(contract.outputs)
    ]


def js_actions(contract, arguments, indent):
    """js-actions NAME: the actions of the guided check, as attributes spell them."""
    names = ", ".join(f'"{action.name.replace("_", "-")}"' for action in values(contract, "CheckAction"))
    return [f"{indent}export const {arguments[0]} = [{names}];"]


PRINTERS = {
    name.replace("_", "-"): printer
    for name, printer in list(globals().items())
    if name.startswith(("swift_", "c_", "js_")) and (printer.__doc__ or "").startswith(name.replace("_", "-"))
}
