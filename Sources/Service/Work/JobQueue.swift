/// Jobs in the order of their turns: round the users, round each one's connections, round each one's streams.
struct JobQueue: Sendable {
  private typealias Stream = Fifo<Job>
  private typealias Connection = TurnQueue<UInt32, Stream>
  private typealias User = TurnQueue<UInt64, Connection>

  private var users = TurnQueue<UInt32, User>()
  private(set) var count = 0
  /// Bytes of the messages that wait.
  private(set) var bytes = 0

  mutating func append(_ job: Job) {
    count += 1
    bytes += job.work.bytes
    change(job.ticket) { $0.append(job) }
  }

  mutating func popFirst() -> Job? {
    guard let job = users.popFirst() else { return nil }
    count -= 1
    bytes -= job.work.bytes
    return job
  }

  /// Puts `job` in the place of the one that waits on its stream, if one does, and gives that back.
  mutating func replace(with job: Job) -> Job? {
    let old = change(job.ticket) { stream -> Job? in
      guard let old = stream.popFirst() else { return nil }
      stream.append(job)
      return old
    }
    if let old { bytes += job.work.bytes - old.work.bytes }
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
    count -= jobs.count
    for job in jobs { bytes -= job.work.bytes }
  }
}
