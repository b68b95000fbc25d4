// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_detect(
  _ handle: OpaquePointer!, _ image: UnsafePointer<face_image>!, _ options: UnsafePointer<face_options>!,
  _ out_result: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let engine = try Handles.engines.get(handle, "engine")
    let image = try CallerImage(reading: image)
    let options = try CallOptions(reading: options)
    // Here already: of a call with wrong options the listener does not hear.
    try options.detection.validate()
    let result = try engine.detectAndNotify(image, options)
    if let out_result { out_result.pointee = Handles.results.insert(ResultBox(.success(result))) }
  }
}

@c @implementation
public func face_detect_batch(
  _ handle: OpaquePointer!, _ images: UnsafePointer<UnsafePointer<face_image>?>!, _ count: UInt32,
  _ options: UnsafePointer<face_options>!, _ out_results: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let engine = try Handles.engines.get(handle, "engine")
    let options = try CallOptions(reading: options)
    try options.detection.validate()
    guard count > 0 else { return }
    guard let images, let out_results else {
      throw Status(.invalidArgument, "images or out_results is NULL; give \(count) of each")
    }
    // An invalid image does not affect the others.
    var outcomes: [Result<DetectionResult, Status>] = []
    var valid: [(place: Int, image: CallerImage)] = []
    for place in 0..<Int(count) {
      do throws(Status) {
        valid.append((place, try CallerImage(reading: images[place])))
        outcomes.append(.failure(Status(.internal, "the image has no result; please report this")))
      } catch {
        outcomes.append(.failure(error))
      }
    }
    let found = try engine.detectBatchAndNotify(valid.map(\.image), options)
    for (entry, outcome) in zip(valid, found) { outcomes[entry.place] = outcome }
    for (place, outcome) in outcomes.enumerated() {
      out_results[place] = Handles.results.insert(ResultBox(outcome))
    }
  }
}
