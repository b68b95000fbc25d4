import Foundation
import TestSupport
import Testing

/// Tests libfaceengine-draw as a C programmer uses it, beside libfaceengine.
@Suite struct DrawLibraryTests {
  /// Tests every promise of its header, function by function.
  @Test(arguments: ["gcc", "clang"])
  func suiteHoldsLoadedAndConnected(compiler: String) throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(
      ["Tests/CTests/draw/draw.c"], in: folder, with: compiler, options: ["-lfaceengine-draw"])
    if compiler == "gcc" || LongForm.isOn { try CLibraryTests.expectSuccessBothWays(program) }
  }

  /// Runs text (with what Pango and fontconfig keep for it), overlays and crops under valgrind, in the thread
  /// that ends the program and in one that has ended before.
  @Test func drawnTextLeaksNothing() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(
      ["Tests/CTests/draw/leaks.c"], in: folder, options: ["-lfaceengine-draw"])
    // Pango looks for fonts in a thread that it does not wait for.
    try HostTests.expectClean(program, [], in: folder, attempts: 5)
  }

  /// A program that only draws needs no other library of ours, and C++ accepts the header as it is.
  @Test(arguments: ["g++", "clang++"])
  func drawLibraryStandsAloneInCPlusPlus(compiler: String) throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(
      "draw.cpp",
      """
      #include <face_engine_draw.h>
      int main()
      {
        unsigned char pixels[64 * 64 * 3] = {};
        face_picture *picture = nullptr;
        if (face_picture_attach(FACE_FORMAT_RGB, 64, 64, 0, pixels, sizeof pixels, &picture) != FACE_OK) return 1;
        face_info face = {};
        face.struct_size = sizeof face;
        face.box = {10, 10, 40, 40};
        if (face_draw_faces(picture, &face, 1, nullptr) != FACE_OK || pixels[(10 * 64 + 30) * 3 + 1] == 0) return 3;
        face_circle circle = {32, 32, 20};
        face_status status = face_draw_mask(picture, &circle, 0, nullptr);
        face_picture_destroy(picture);
        return status == FACE_OK && pixels[(32 * 64 + 12) * 3] == 255 && pixels[0] == 0 ? 0 : 2;
      }
      """.utf8)
    let program = folder.path("program")
    try Command.run(
      compiler,
      [
        "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Iinclude", source, "-o", program,
        "-L\(Checkout.build.path)", "-lfaceengine-draw", "-Wl,-rpath,\(Checkout.build.path)",
      ]
    ).succeeded()
    try Command.run(program, []).succeeded()
    let needed = try Command.run("ldd", [program])
    #expect(needed.output.contains("libfaceengine-draw.so.1") && !needed.output.contains("libfaceengine.so"))
  }

  /// Built with the flags of the installed pkg-config file, and with CMake's target.
  @Test func installedDrawLibraryIsFoundByPkgConfigAndCMake() throws {
    let folder = try TemporaryFolder()
    let prefix = try InstallTests.prefix.get()
    let flags = try Command.run(
      "pkg-config", ["--cflags", "--libs", "faceengine-draw"],
      environment: ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"])
    #expect(flags.status == 0 && flags.output.contains("-lfaceengine-draw"))
    try folder.write(
      "CMakeLists.txt",
      """
      cmake_minimum_required(VERSION 3.20)
      project(Draws LANGUAGES C)
      find_package(FaceEngine 0.2 REQUIRED)
      add_executable(draws draws.c)
      target_link_libraries(draws PRIVATE FaceEngine::draw)
      """.utf8)
    try folder.write(
      "draws.c",
      "#include <face_engine_draw.h>\nint main(void) { return face_draw_last_error()[0]; }\n".utf8)
    try InstallTests.cmake(
      "-S", folder.path, "-B", folder.path("build"), "-DCMAKE_PREFIX_PATH=\(prefix)"
    ).succeeded()
    #expect(try InstallTests.cmake("--build", folder.path("build")).status == 0)
    #expect(try InstallTests.run(folder.path("build/draws"), [], prefix: prefix).status == 0)
  }
}
