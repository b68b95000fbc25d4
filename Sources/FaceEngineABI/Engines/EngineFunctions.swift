// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import Client
import Engine
import FaceCore
import Posix

@c @implementation
public func face_load_model(
  _ model_dir: UnsafePointer<CChar>!, _ out_engine: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try give(out_engine, "out_engine", of: Handles.engines) { () throws(Status) in
      try loadedEngine([try text(model_dir, "model_dir")], LoadOptions())
    }
  }
}

@c @implementation
public func face_load_models(
  _ model_dirs: UnsafePointer<UnsafePointer<CChar>?>!, _ count: UInt32,
  _ options: UnsafePointer<face_load_options>!, _ out_engine: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try give(out_engine, "out_engine", of: Handles.engines) { () throws(Status) in
      guard let model_dirs else {
        throw Status(.invalidArgument, "model_dirs is NULL; give \(count) folders")
      }
      guard 1...UInt32(FACE_MAX_MODELS) ~= count else {
        throw Status(
          .invalidArgument, "\(count) model folders; give 1 to \(FACE_MAX_MODELS) (FACE_MAX_MODELS)")
      }
      let options = try LoadOptions(reading: options)
      let folders = try (0..<Int(count)).map { (place) throws(Status) in
        try text(model_dirs[place], "a folder of model_dirs")
      }
      return try loadedEngine(folders, options)
    }
  }
}

private func loadedEngine(_ folders: [String], _ options: LoadOptions) throws(Status) -> EngineBox {
  let engine = try Engine(
    modelFolders: folders, maxInputPixels: options.maxInputPixels, threadsPerFrame: options.threadsPerFrame)
  for folder in folders { Log.info("loaded the model in \(folder)") }
  return EngineBox(engine, place: folders[0], defaultTimeout: 0)
}

@c @implementation
public func face_connect(
  _ socket_path: UnsafePointer<CChar>!, _ out_engine: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try give(out_engine, "out_engine", of: Handles.engines) { () throws(Status) in
      let path =
        socket_path == nil ? try SocketPath.standard().description : try text(socket_path, "socket_path")
      let client = try Client(socket: path)
      Log.info("connected to \(path)")
      return EngineBox(client, place: path, defaultTimeout: client.options.timeout)
    }
  }
}

@c @implementation
public func face_release(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    guard handle != nil else { return }
    let box = try Handles.engines.get(handle, "engine")
    guard !box.listener.isCaller else {
      throw Status(
        .failedPrecondition, "an engine cannot be released from inside its listener; do it after it returned")
    }
    // Calls in flight hold the box themselves; the last of them frees it.
    _ = Handles.engines.remove(handle)
    try box.listener.bind(nil)
  }
}
