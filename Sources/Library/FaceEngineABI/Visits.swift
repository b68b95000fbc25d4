// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore
import Posix

@c @implementation
public func face_visit_options_init_sized(
  _ options: UnsafeMutablePointer<face_visit_options>!, _ size: Int
) {
  VersionedStruct.initialize(options, size: size)
}

@c @implementation
public func face_visit_init_sized(_ visit: UnsafeMutablePointer<face_visit>!, _ size: Int) {
  VersionedStruct.initialize(visit, size: size)
}

@c @implementation
public func face_visits_create(
  _ options: UnsafePointer<face_visit_options>!, _ out_visits: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.create(out_visits, "out_visits", in: Handles.visits) { () throws(Status) in
      VisitBox(try VisitOptions(reading: options))
    }
  }
}

@c @implementation
public func face_visits_update(
  _ handle: OpaquePointer!, _ time_ns: UInt64, _ result: OpaquePointer!,
  _ out_count: UnsafeMutablePointer<UInt32>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let visits = try Handles.visits.get(handle, "visits")
    let faces = result == nil ? [] : try Handles.results.get(result, "result").faces
    let count = visits.update { $0.update(faces, at: time_ns) }
    out_count?.pointee = count
  }
}

@c @implementation
public func face_visits_end(
  _ handle: OpaquePointer!, _ out_count: UnsafeMutablePointer<UInt32>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let count = try Handles.visits.get(handle, "visits").update { $0.end() }
    out_count?.pointee = count
  }
}

@c @implementation
public func face_visits_get(
  _ handle: OpaquePointer!, _ index: UInt32, _ out_visit: UnsafeMutablePointer<face_visit>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let event = try Handles.visits.get(handle, "visits").event(index)
    try VersionedStruct.write(face_visit(event), to: out_visit, name: "out_visit")
  }
}

@c @implementation
public func face_visits_destroy(_ handle: OpaquePointer!) {
  Thread.withoutCancellation { _ = Handles.visits.remove(handle) }
}

/// The object behind a `face_visits`.
final class VisitBox: Sendable {
  private struct State {
    var visits: Visits
    /// Of the last update.
    var events: [VisitEvent] = []
  }

  private let state: Monitor<State>

  init(_ options: VisitOptions) {
    state = Monitor(State(visits: Visits(options)))
  }

  /// - Returns: the number of events.
  func update(_ change: (inout Visits) -> [VisitEvent]) -> UInt32 {
    state.withLock { state in
      state.events = change(&state.visits)
      return UInt32(clamping: state.events.count)
    }
  }

  func event(_ index: UInt32) throws(Status) -> VisitEvent {
    let events = state.withLock { $0.events }
    guard Int(index) < events.count else {
      throw Status(.outOfRange, "index is \(index), but there are \(events.count) events; indices begin at 0")
    }
    return events[Int(index)]
  }
}

extension face_visit: SizedStruct {
  init(_ event: VisitEvent) {
    self.init()
    self.event = event.kind.rawValue
    visit = event.visit
    face_id = event.faceID
    first_seen_ns = event.firstSeen
    last_seen_ns = event.lastSeen
    stayed_ns = UInt64(clamping: event.stayed)
    looked_ns = UInt64(clamping: event.looked)
    present = UInt32(clamping: event.present)
  }
}

extension face_visit_options: SizedStruct {
  package static var defaults: face_visit_options {
    var value = face_visit_options()
    withUnsafeMutablePointer(to: &value) { VisitOptions.members.write(VisitOptions(), to: $0) }
    return value
  }
}

extension VisitOptions {
  fileprivate static let members = CFields(
    fields,
    [
      // generated: swift-members face_visit_options VisitOptions
      CMember("max_look_angle", \face_visit_options.max_look_angle),
      CMember("min_stay_ns", \face_visit_options.min_stay_ns),
      CMember("max_absence_ns", \face_visit_options.max_absence_ns),
      // end of generated
    ])

  /// Reads the options; NULL gives the defaults. Throws `invalidArgument`, naming the option.
  init(reading pointer: UnsafePointer<face_visit_options>?) throws(Status) {
    self.init()
    guard pointer != nil else { return }
    let value = try VersionedStruct.read(pointer, name: "options")
    withUnsafePointer(to: value) { VisitOptions.members.read($0, into: &self) }
    try validate()
  }
}
