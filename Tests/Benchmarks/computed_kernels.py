#!/usr/bin/python3
"""The work of the kernels' inner loops on ARM beside AVX2, computed from their machine code and not measured.

    Tests/Benchmarks/computed_kernels.py [LLVM_MCA]

Compiles the kernels as a release does, takes the straight part of each that has the most multiplications, and has llvm-mca
estimate its cycles, with all data in the first-level cache. A row is one pixel of 16 channels; its convolutions of all channels
read 16. Loads are instructions: NEON loads two registers by one. Needs the toolchain's clang, libc6-dev-arm64-cross and llvm-mca
19, which has a model of Cortex-A76 as Neoverse N1, the same core; older ones take that of A57.
"""

import pathlib
import re
import subprocess
import sys

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "Sources/Native/CFusedKernels"
MCA = sys.argv[1] if len(sys.argv) > 1 else "llvm-mca"
ITERATIONS = 200
CORES = {"arm": (("Cortex-A76", "neoverse-n1"), ("Cortex-A55", "cortex-a55")), "x86": (("Skylake", "skylake"),)}
# The files, with the instruction that multiplies and the products that one of them adds.
FILES = {
    "SDOT": ("arm", "i8_neon_dotprod.c", r"sdot\b", 16),
    "NEON": ("arm", "i8_neon.c", r"smull2?\b", 8),
    "AVX2": ("x86", "i8_avx2.c", r"vpmaddubsw\b.*ymm", 32),
    "NEON int16": ("arm", "i16_neon.c", r"smlal2?\b", 4),
    "AVX2 int16": ("x86", "i16_avx2.c", r"vpmaddwd\b.*ymm", 16),
    "NEON floats": ("arm", "f32_neon.c", r"fml[as]\b|fmul\b", 4),
    "AVX2 floats": ("x86", "f32_avx2.c", r"vfn?madd\w+ps\b.*ymm|vmulps\b.*ymm", 8),
}
# Kernels, with the products of a pixel, those by padding included.
BYTES = (("`gemm`", "gemm", 256), ("`conv3x3s2`", "conv3x3s2", 448), ("`dwconv3x3`", "dwconv3x3", 192),
         ("`dwconv3x3s2`", "dwconv3x3s2", 192))
WORDS = (("`gemm`", "gemm", 256), ("`dwconv3x3`", "dwconv3x3", 192))
FLOATS = (("`gemm`", "gemm", 256), ("`dwconv3x3`", "dwconv3x3", 144), ("`multiply`", "multiply", 256))


def assembly(architecture, name):
    target = ["--target=aarch64-linux-gnu", "-isystem", "/usr/aarch64-linux-gnu/include"] if architecture == "arm" else []
    command = ["clang", *target, "-std=gnu11", "-O2", "-fstack-protector-strong", "-Wno-psabi", f"-I{KERNELS}",
               f"-I{KERNELS}/include", "-S", "-o", "-", KERNELS / "kernels" / name]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def blocks(text):
    """The parts without branches: their function, whether they are a loop, and their instructions."""
    function, label, part = None, None, []
    for line in text.splitlines():
        line = re.sub(r"\s(//|#\s).*", "", line).rstrip()
        name = re.match(r"([\w.$]+):", line)
        line = line.strip()
        if name:
            if part:
                yield function, False, part
            label, part = name[1], []
            if not label.startswith("."):
                function = label
        elif line and line[0] not in "./#":
            part.append(line)
            if re.match(r"(b|b\.\w+|t?cbn?z|tbn?z|j\w+|retq?)\b", line):
                yield function, label is not None and line.endswith(label), part
                label, part = None, []


def hottest(text, function, multiplies):
    def products(block):
        return sum(bool(re.match(multiplies, line)) for line in block[2])

    of_function = [block for block in blocks(text) if block[0] == function]
    if function in ("gemm", "multiply"):  # the loop over the input, not what is unrolled for a few channels
        of_function = [block for block in of_function if block[1]]
    best = max(of_function, key=lambda block: (products(block), -len(block[2])))
    return best[2], products(best)


def estimate(lines, architecture, core):
    """Instructions, loads and cycles of a turn."""
    triple = "aarch64-linux-gnu" if architecture == "arm" else "x86_64-linux-gnu"
    # llvm-mca has a load of a part of a register wait for the rest, which ARM's cores set to 0.
    lines = [re.sub(r"^ldu?r\t[sd](?=\d)", "ldr\tq", line) for line in lines]
    text = subprocess.run([MCA, f"-mtriple={triple}", f"-mcpu={core}", f"-iterations={ITERATIONS}", "-"], check=True,
                          capture_output=True, text=True, input="\n".join(lines) + "\n").stdout
    cycles = int(re.search(r"Total Cycles:\s+(\d+)", text)[1]) / ITERATIONS
    table = text[text.index("Instructions:", text.index("[6]")):].split("\n\n")[0].splitlines()[1:]
    return len(table), sum("*" in line[20:27] for line in table), cycles


def main():
    texts = {name: assembly(file[0], file[1]) for name, file in FILES.items()}
    for kernels, names in ((BYTES, ("SDOT", "NEON", "AVX2")), (WORDS, ("NEON int16", "AVX2 int16")),
                           (FLOATS, ("NEON floats", "AVX2 floats"))):
        for title, function, products in kernels:
            for name in names:
                architecture, _, multiplies, each = FILES[name]
                lines, count = hottest(texts[name], function, multiplies)
                pixels = count * each / products
                cycles = []
                for core, model in CORES[architecture]:
                    instructions, loads, turn = estimate(lines, architecture, model)
                    cycles.append(f"{core} {turn / pixels:.1f}")
                print(f"| {title} | {name} | {instructions / pixels:.1f} | {loads / pixels:.1f} | {', '.join(cycles)} |")


main()
