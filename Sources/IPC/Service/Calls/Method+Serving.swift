import FaceCore
import Posix
import Wire

/// How the calls of a method are served.
enum Serving {
  /// Returns the response to a call with that payload.
  typealias Respond = (CallHandler, Call, Span<UInt8>, CancellationToken?) throws(Status) -> [UInt8]

  /// By the connection, whose state it changes.
  case connection
  /// By the thread that has read it, since it takes microseconds.
  case immediate(Respond)
  /// By a worker.
  /// - Parameter usesModels: whether it detects or loads a model, unlike a query of the engine's state.
  case worker(usesModels: Bool, Respond)
  /// By workers, an image at a time.
  case batch
  /// By workers, a frame at a time.
  case frames

  var usesModels: Bool {
    switch self {
    case .connection, .immediate: false
    case .worker(let usesModels, _): usesModels
    case .batch, .frames: true
    }
  }
}

extension Method {
  var serving: Serving {
    switch self {
    case .hello, .healthWatch, .takeOver: .connection
    case .watch, .check: .frames
    case .detectBatch: .batch
    case .detect:
      .worker(usesModels: true) { (handler, call, payload, token) throws(Status) in
        let result = try DetectCall.withRequest(payload) { (image, options) throws(Status) in
          try handler.withInput(image, call.buffers, of: call.caller.user, token) { (input) throws(Status) in
            try handler.service.detector.detect(input, options: handler.service.limits.bounding(options))
          }
        }
        return try DetectCall.responseFrame(stream: call.stream, result)
      }
    case .reloadModel:
      .worker(usesModels: true) { (handler, call, payload, _) throws(Status) in
        let name = try ReloadModelCall.request(payload)
        let models = try handler.service.reloadModels(named: name, for: call.caller)
        return try ReloadModelCall.responseFrame(stream: call.stream, models)
      }
    case .listModels:
      .worker(usesModels: false) { (handler, call, payload, _) throws(Status) in
        try ListModelsCall.request(payload)
        return try ListModelsCall.responseFrame(
          stream: call.stream, handler.service.models.listModels())
      }
    case .healthCheck:
      .immediate { (handler, call, payload, _) throws(Status) in
        let status = try handler.service.health(of: HealthCall.request(payload))
        return try HealthCall.responseFrame(stream: call.stream, status)
      }
    case .info:
      .immediate { (handler, call, payload, _) throws(Status) in
        try InfoCall.request(payload)
        return try InfoCall.responseFrame(stream: call.stream, handler.service.info())
      }
    case .stats:
      .immediate { (handler, call, payload, _) throws(Status) in
        try StatsCall.request(payload)
        return try StatsCall.responseFrame(stream: call.stream, handler.service.statistics.snapshot)
      }
    case .describe:
      .immediate { (_, call, payload, _) throws(Status) in
        try DescribeCall.request(payload)
        return try DescribeCall.responseFrame(stream: call.stream)
      }
    }
  }
}
