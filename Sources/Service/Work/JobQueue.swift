import FaceCore

/// Jobs in the order of their turns: round the users, round each one's connections, round each one's streams.
struct JobQueue: Sendable {
  private typealias Stream = Fifo<Job>
  private typealias Connection = TurnQueue<UInt32, Stream>
  private typealias User = TurnQueue<UInt64, Connection>

  private var users = TurnQueue<UInt32, User>()
  private var calls: Backlog
  /// Of the messages that wait.
  private var bytes: Backlog

  init(_ limits: ServiceLimits) {
    calls = Backlog("queued_calls", limit: limits.queuedCalls)
    bytes = Backlog("queued_bytes", limit: limits.queuedBytes)
  }

  var count: Int { calls.total }

  /// Throws `resourceExhausted` when too much waits already.
  func check(_ job: Job) throws(Status) {
    try calls.check(1, of: job.ticket.user)
    try bytes.check(job.work.bytes, of: job.ticket.user)
  }

  mutating func append(_ job: Job) {
    calls.add(1, of: job.ticket.user)
    bytes.add(job.work.bytes, of: job.ticket.user)
    change(job.ticket) { $0.append(job) }
  }

  mutating func popFirst() -> Job? {
    guard let job = users.popFirst() else { return nil }
    forget([job])
    return job
  }

  /// Puts `job` in the place of the one that waits on its stream, if one does, and gives that back.
  mutating func replace(with job: Job) -> Job? {
    let old = change(job.ticket) { stream -> Job? in
      guard let old = stream.popFirst() else { return nil }
      stream.append(job)
      return old
    }
    if let old { bytes.add(job.work.bytes - old.work.bytes, of: job.ticket.user) }
    return old
  }

  /// Forgets what waits on a stream.
  mutating func remove(_ ticket: Ticket) {
    forget(change(ticket) { stream in Self.take(&stream) })
  }

  /// Forgets what waits on all streams of a connection.
  mutating func remove(user: UInt32, connection: UInt64) {
    forget(users.change(user) { user in user.change(connection) { streams in Self.take(&streams) } })
  }

  private mutating func change<Value>(_ ticket: Ticket, _ body: (inout Fifo<Job>) -> Value) -> Value {
    users.change(ticket.user) { user in
      user.change(ticket.connection) { streams in streams.change(ticket.stream, body) }
    }
  }

  private static func take(_ line: inout some WaitingLine<Job>) -> [Job] {
    var jobs: [Job] = []
    while let job = line.popFirst() { jobs.append(job) }
    return jobs
  }

  private mutating func forget(_ jobs: [Job]) {
    for job in jobs {
      calls.subtract(1, of: job.ticket.user)
      bytes.subtract(job.work.bytes, of: job.ticket.user)
    }
  }
}
