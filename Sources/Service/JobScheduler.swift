import FaceCore
import Posix
import Wire

/// Jobs in the order of their turns: round the users, round each one's connections, round each one's streams.
struct JobQueue: Sendable {
  private typealias Stream = Fifo<Job>
  private typealias Connection = RoundRobinQueue<UInt32, Stream>
  private typealias User = RoundRobinQueue<UInt64, Connection>

  private var users = RoundRobinQueue<UInt32, User>()
  private var calls: FairShareQuota
  /// Of the messages that wait.
  private var bytes: FairShareQuota

  init(_ limits: ServiceLimits) {
    calls = FairShareQuota("queued_calls", limit: limits.queuedCalls)
    bytes = FairShareQuota("queued_bytes", limit: limits.queuedBytes)
  }

  var count: Int { calls.total }

  /// Throws `resourceExhausted` when too much waits already.
  func check(_ job: Job) throws(Status) {
    try calls.check(1, of: job.requestID.user)
    try bytes.check(job.work.bytes, of: job.requestID.user)
  }

  mutating func append(_ job: Job) {
    calls.add(1, of: job.requestID.user)
    bytes.add(job.work.bytes, of: job.requestID.user)
    change(job.requestID) { $0.append(job) }
  }

  mutating func popFirst() -> Job? {
    guard let job = users.popFirst() else { return nil }
    forget([job])
    return job
  }

  /// Puts `job` in the place of the one that waits on its stream, if one does, and gives that back.
  mutating func replace(with job: Job) -> Job? {
    let old = change(job.requestID) { stream -> Job? in
      guard let old = stream.popFirst() else { return nil }
      stream.append(job)
      return old
    }
    if let old { bytes.add(job.work.bytes - old.work.bytes, of: job.requestID.user) }
    return old
  }

  /// Forgets what waits on a stream.
  mutating func remove(_ requestID: RequestID) {
    forget(change(requestID) { stream in Self.take(&stream) })
  }

  /// Forgets what waits on all streams of a connection.
  mutating func remove(user: UInt32, connection: UInt64) {
    forget(users.change(user) { user in user.change(connection) { streams in Self.take(&streams) } })
  }

  private mutating func change<Value>(_ requestID: RequestID, _ body: (inout Fifo<Job>) -> Value) -> Value {
    users.change(requestID.user) { user in
      user.change(requestID.connection) { streams in streams.change(requestID.stream, body) }
    }
  }

  private static func take(_ line: inout some WaitingLine<Job>) -> [Job] {
    var jobs: [Job] = []
    while let job = line.popFirst() { jobs.append(job) }
    return jobs
  }

  private mutating func forget(_ jobs: [Job]) {
    for job in jobs {
      calls.subtract(1, of: job.requestID.user)
      bytes.subtract(job.work.bytes, of: job.requestID.user)
    }
  }
}

/// Whose turn a job takes, and which call it is for; no two calls have the same.
struct RequestID: Hashable, Sendable {
  let user: UInt32
  let connection: UInt64
  let stream: UInt32
  /// Tells apart calls that had the same stream number, one after the other.
  let serial: UInt64
}

/// What a worker does in one turn.
enum Work: Sendable {
  case call(Call)
  case batch(Batch)
  case frame(StreamFrame)

  /// Of the message that it holds.
  var bytes: Int {
    switch self {
    case .call(let call): call.body.count
    case .batch(let batch): batch.call.body.count
    case .frame(let frame): frame.body.count
    }
  }

  /// When its caller stops waiting.
  var deadline: MonotonicTime {
    switch self {
    case .call(let call): call.deadline
    case .batch(let batch): batch.call.deadline
    case .frame(let frame): frame.deadline
    }
  }

  var method: Method {
    switch self {
    case .call(let call): call.method
    case .batch: .detectBatch
    case .frame(let frame): frame.method
    }
  }
}

struct Job: Sendable {
  let requestID: RequestID
  let work: Work
}

/// The answer to a job.
struct Completion: Sendable {
  let requestID: RequestID
  let method: Method
  let answer: Answer
}
