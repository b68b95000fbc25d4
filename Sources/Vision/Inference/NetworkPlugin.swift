import CEnginePlugins
public import FaceCore
import Synchronization

/// A plug-in: a library that runs networks which the fused kernels do not, opened when one is loaded.
/// `include/face_engine_plugin.h` is its interface, docs/plug-ins.md says where it is searched.
public struct NetworkPlugin: Sendable {
  /// The plug-in that runs networks in ncnn's form.
  public static let ncnn = "ncnn"
  /// The plug-in that runs ONNX files with the user's onnxruntime.
  public static let onnxruntime = "onnxruntime"
  /// The package of each plug-in of ours.
  private static let packages = [ncnn: "libfaceengine-ncnn1", onnxruntime: "libfaceengine-onnxruntime1"]

  // The table is static memory of a library that stays open.
  nonisolated(unsafe) let table: UnsafePointer<face_network_plugin_v1>
  public let path: String

  private static let opened = Mutex<[String: NetworkPlugin]>([:])

  /// Returns a plug-in, which is opened by the first call. Throws `failedPrecondition` with what to install
  /// if it is missing, and with what is wrong if it cannot be used; `resourceExhausted` without a descriptor for it.
  public static func named(_ name: String) throws(Status) -> NetworkPlugin {
    if let known = opened.withLock({ $0[name] }) { return known }
    let plugin = try NetworkPlugin(name: name) { table, text in face_plugin_open(name, table, text) }
    opened.withLock { $0[name] = plugin }
    return plugin
  }

  /// Opens the library at `path`. Throws like `named`.
  package init(path: String) throws(Status) {
    try self.init(name: path) { table, text in face_plugin_open_file(path.cPath, table, text) }
  }

  private init(
    name: String,
    _ open: (
      UnsafeMutablePointer<UnsafePointer<face_network_plugin_v1>?>, UnsafeMutablePointer<CChar>
    ) -> face_plugin_opened
  ) throws(Status) {
    var table: UnsafePointer<face_network_plugin_v1>?
    let (result, text) = Self.withText { text in open(&table, text) }
    switch (result, table) {
    case (FACE_PLUGIN_OPENED, let table?): (self.table, path) = (table, text)
    case (FACE_PLUGIN_UNUSABLE, _):
      throw Status(.failedPrecondition, "the plug-in cannot be used: \(text); install it again")
    case (FACE_PLUGIN_EXHAUSTED, _):
      throw Status(
        .resourceExhausted,
        "the plug-in \(name) cannot be opened: no descriptor is left; close files that are not needed, or raise the "
          + "limit of open files (ulimit -n)")
    default:
      let source = Self.packages[name].map { "install the package \($0) (in the sources: make plug-ins)" }
      throw Status(
        .failedPrecondition,
        "this needs the plug-in \(name), which is not installed; \(source ?? "install it"), then start this "
          + "program again")
    }
  }

  /// The folders where plug-ins are searched before those of the loader.
  public static var folders: [String] {
    var folders: [String] = []
    while true {
      let (isThere, folder) = withText { text in face_plugin_folder(UInt32(folders.count), text) }
      guard isThere != 0 else { return folders }
      folders.append(folder)
    }
  }

  /// The name as results have it, as in "ncnn".
  public var name: String { String(cString: table.pointee.name) }
  public var version: String { String(cString: table.pointee.version) }

  /// The forms of networks that it takes.
  public var takesNcnn: Bool { table.pointee.formats & UInt32(FACE_PLUGIN_NCNN) != 0 }
  public var takesONNX: Bool { table.pointee.formats & UInt32(FACE_PLUGIN_ONNX) != 0 }

  /// Calls `body` with a buffer for a text of C.
  private static func withText<Result>(
    _ body: (UnsafeMutablePointer<CChar>) -> Result
  ) -> (Result, String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: FACE_PLUGIN_TEXT_SIZE) { text in
      text.initialize(repeating: 0)
      guard let start = text.baseAddress else { preconditionFailure("the buffer has a size") }
      let result = body(start)
      return (result, String(path: start))
    }
  }

  /// Calls a function of the plug-in. Throws its failure, with its sentence.
  func call(
    _ body: (UnsafeMutablePointer<CChar>, Int) -> face_plugin_status
  ) throws(Status) {
    let (status, text) = Self.withText { text in body(text, FACE_PLUGIN_TEXT_SIZE - 1) }
    guard status != 0 else { return }
    let code: StatusCode =
      switch Int(status) {
      case FACE_PLUGIN_NO_MEMORY: .resourceExhausted
      case FACE_PLUGIN_REFUSED: .failedPrecondition
      case FACE_PLUGIN_UNSUPPORTED: .unimplemented
      default: .internal
      }
    throw Status(code, "\(name): \(text.isEmpty ? "it failed and does not say why" : text)")
  }
}
