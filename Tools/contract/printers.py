"""Prints parts of the contract in the languages of the doors. Each printer takes the contract, the arguments of its region and the
region's indentation, and returns lines."""

import textwrap

WIDTH = 124
UNSIGNED = {2 ** 32 - 1: "Double(UInt32.max)"}


def wrapped(text, first, others=None, width=WIDTH):
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=first if others is None else others,
                         break_long_words=False, break_on_hyphens=False)


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
    return (": Int64" if option.kind == "nanoseconds" else "") + f" = {grouped(int(option.default))}"


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
        text = f"{option.text} {note}." if option.kind != "nanoseconds" else f"{option.text} Nanoseconds."
        lines += wrapped(text, f"{indent}/// ", width=108)
        lines.append(f"{indent}public var {swift_name(option)}{swift_default(option)}")
    lines += ["", f"{indent}/// The numeric options, by their names in {message} and in C.",
              f"{indent}// swift-format-ignore", f"{indent}public static let fields: [OptionField] = ["]
    for option in contract.options[message]:
        title = f', title: "{option.title}"' if option.title != " ".join(option.words) else ""
        flag = "" if option.flag == "-".join(option.words) else f', flag: "{option.flag}"'
        lines.append(f'{indent}  OptionField(')
        lines.append(
            f'{indent}    "{option.name}"{title}{flag}, \\{type_name}.{swift_name(option)}, '
            f"{swift_bound(option.least)}...{swift_bound(option.most)},")
        lines.append(f'{indent}    "{option.sentence}"),')
    return lines + [f"{indent}]"]


def swift_outputs(contract, arguments, indent):
    """swift-outputs: a bit for each output, and the table of their names, flags and members of Face."""
    lines = [f"{indent}public static let {camel_output(output)} = FaceOutputs(rawValue: 1 << {place})"
             for place, output in enumerate(contract.outputs)]
    lines += ["", f"{indent}/// Each output once, with the member of a face that it requests.", f"{indent}// swift-format-ignore",
              f"{indent}public static let table: [FaceOutput] = ["]
    for output in contract.outputs:
        name = camel_output(output)
        lines += [f'{indent}  FaceOutput(', f'{indent}    "{output.name}", .{name}, flag: "{output.flag}", "{output.sentence}",',
                  f"{indent}    {{ $0.{name} }}, {{ $0.{name} = $1 }}),"]
    return lines + [f"{indent}]"]


def camel_output(output):
    return camel(output.name.split("_"))


def swift_members(contract, arguments, indent):
    """swift-members C_STRUCT MESSAGE: where the C struct has each option."""
    struct, message = arguments
    return [f'{indent}CMember("{option.name}", \\{struct}.{option.name}),' for option in contract.options[message]]


C_TYPES = {"number": "float", "count": "uint32_t", "nanoseconds": "uint64_t"}


def c_options(contract, arguments, indent):
    """c-options MESSAGE: the members of a struct, each with its comment."""
    lines = []
    for option in contract.options[arguments[0]]:
        unit = f" {option.unit}" if option.unit else ""
        facts = f"{option.range}{unit}, default {option.default_text}"
        if option.kind == "nanoseconds":
            facts = f"default {option.default_text}"
        before = f"{indent}{C_TYPES[option.kind]} {option.name}; /* "
        # The end stays on the line of the last word.
        lines += wrapped(f"{facts}. {option.text}\N{NO-BREAK SPACE}*/", before, " " * len(before))
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def c_outputs(contract, arguments, indent):
    """c-outputs: the bits FACE_OUTPUT_…, in the order of the outputs."""
    lines = []
    for place, output in enumerate(contract.outputs):
        lines += wrapped(f"{output.text} */".replace(". */", ".\N{NO-BREAK SPACE}*/"), f"{indent}/* ", f"{indent} * ")
        lines.append(f"{indent}#define FACE_OUTPUT_{output.name.upper()} {hex(1 << place)}u")
    lines = [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
    return lines + [f"{indent}#define FACE_OUTPUT_ALL {hex((1 << len(contract.outputs)) - 1)}u /* all of them */"]


def c_valid(contract, arguments, indent):
    """c-valid: the bits FACE_VALID_… of the outputs, which are those of FACE_OUTPUT_…."""
    return [f"{indent}#define FACE_VALID_{output.name.upper()} {hex(1 << place)}u"
            for place, output in enumerate(contract.outputs)]


def md_options(contract, arguments, indent):
    """md-options MESSAGE: a table of names, defaults, ranges and meanings."""
    return [f"{indent}| `{option.name}` | {option.default_text} | {option.range} | {option.text} |"
            for option in contract.options[arguments[0]]]


PRINTERS = {name.replace("_", "-"): printer for name, printer in list(globals().items())
            if name.startswith(("swift_options", "swift_outputs", "swift_members", "c_options", "c_outputs", "c_valid", "md_options"))}
