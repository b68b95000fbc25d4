import CProtocol

// generated: swift-messages
extension Faceengine__V1__DetectRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__detect_request__init(message)
  }
}

extension Faceengine__V1__DetectResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__detect_response__init(message)
  }
}

extension Faceengine__V1__ModelIdentity: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__model_identity__init(message)
  }
}

extension Faceengine__V1__Image: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__image__init(message)
  }
}

extension Faceengine__V1__Pixels: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__pixels__init(message)
  }
}

extension Faceengine__V1__Plane: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__plane__init(message)
  }
}

extension Faceengine__V1__SharedBytes: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__shared_bytes__init(message)
  }
}

extension Faceengine__V1__SharedPixels: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__shared_pixels__init(message)
  }
}

extension Faceengine__V1__DetectOptions: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__detect_options__init(message)
  }
}

extension Faceengine__V1__DetectBatchRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__detect_batch_request__init(message)
  }
}

extension Faceengine__V1__DetectBatchResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__detect_batch_response__init(message)
  }
}

extension Faceengine__V1__BatchResult: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__batch_result__init(message)
  }
}

extension Faceengine__V1__Failure: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__failure__init(message)
  }
}

extension Faceengine__V1__WatchRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__watch_request__init(message)
  }
}

extension Faceengine__V1__WatchStart: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__watch_start__init(message)
  }
}

extension Faceengine__V1__Tracking: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__tracking__init(message)
  }
}

extension Faceengine__V1__VisitOptions: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__visit_options__init(message)
  }
}

extension Faceengine__V1__CheckOptions: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__check_options__init(message)
  }
}

extension Faceengine__V1__Space: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__space__init(message)
  }
}

extension Faceengine__V1__Circle: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__circle__init(message)
  }
}

extension Faceengine__V1__CheckReport: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__check_report__init(message)
  }
}

extension Faceengine__V1__CheckEvent: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__check_event__init(message)
  }
}

extension Faceengine__V1__CheckResult: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__check_result__init(message)
  }
}

extension Faceengine__V1__CheckPicture: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__check_picture__init(message)
  }
}

extension Faceengine__V1__CheckFailure: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__check_failure__init(message)
  }
}

extension Faceengine__V1__WatchFrame: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__watch_frame__init(message)
  }
}

extension Faceengine__V1__FollowedFace: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__followed_face__init(message)
  }
}

extension Faceengine__V1__WatchResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__watch_response__init(message)
  }
}

extension Faceengine__V1__Dropped: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__dropped__init(message)
  }
}

extension Faceengine__V1__Face: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__face__init(message)
  }
}

extension Faceengine__V1__Track: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__track__init(message)
  }
}

extension Faceengine__V1__Pose: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__pose__init(message)
  }
}

extension Faceengine__V1__Eyes: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__eyes__init(message)
  }
}

extension Faceengine__V1__Mouth: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__mouth__init(message)
  }
}

extension Faceengine__V1__CaptureQuality: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__capture_quality__init(message)
  }
}

extension Faceengine__V1__Landmarks: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__landmarks__init(message)
  }
}

extension Faceengine__V1__Box: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__box__init(message)
  }
}

extension Faceengine__V1__Point: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__point__init(message)
  }
}

extension Faceengine__V1__FivePoints: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__five_points__init(message)
  }
}

extension Faceengine__V1__HealthCheckRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__health_check_request__init(message)
  }
}

extension Faceengine__V1__HealthCheckResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__health_check_response__init(message)
  }
}

extension Faceengine__V1__HelloRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__hello_request__init(message)
  }
}

extension Faceengine__V1__HelloResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__hello_response__init(message)
  }
}

extension Faceengine__V1__StatsRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__stats_request__init(message)
  }
}

extension Faceengine__V1__StatsResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__stats_response__init(message)
  }
}

extension Faceengine__V1__MethodStats: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__method_stats__init(message)
  }
}

extension Faceengine__V1__CodeCount: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__code_count__init(message)
  }
}

extension Faceengine__V1__Histogram: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__histogram__init(message)
  }
}

extension Faceengine__V1__DurationBuckets: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__duration_buckets__init(message)
  }
}

extension Faceengine__V1__ListModelsRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__list_models_request__init(message)
  }
}

extension Faceengine__V1__ListModelsResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__list_models_response__init(message)
  }
}

extension Faceengine__V1__ListedModel: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__listed_model__init(message)
  }
}

extension Faceengine__V1__ReloadModelRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__reload_model_request__init(message)
  }
}

extension Faceengine__V1__ReloadModelResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__reload_model_response__init(message)
  }
}

extension Faceengine__V1__TakeOverRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__take_over_request__init(message)
  }
}

extension Faceengine__V1__TakeOverResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__take_over_response__init(message)
  }
}

extension Faceengine__V1__Counters: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__counters__init(message)
  }
}

extension Faceengine__V1__MethodCounters: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__method_counters__init(message)
  }
}

extension Faceengine__V1__DurationCounts: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__duration_counts__init(message)
  }
}

extension Faceengine__V1__DescribeRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__describe_request__init(message)
  }
}

extension Faceengine__V1__DescribeResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__describe_response__init(message)
  }
}

extension Faceengine__V1__InfoRequest: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__info_request__init(message)
  }
}

extension Faceengine__V1__InfoResponse: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__info_response__init(message)
  }
}

extension Faceengine__V1__Model: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__model__init(message)
  }
}

extension Faceengine__V1__Limits: Message {
  static func initialize(_ message: UnsafeMutablePointer<Self>) {
    faceengine__v1__limits__init(message)
  }
}
// end of generated
