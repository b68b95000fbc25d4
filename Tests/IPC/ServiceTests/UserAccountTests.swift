import FaceCore
import Service
import Testing

@Suite struct UserAccountTests {
  private func accounts(_ change: (inout EngineLimits) -> Void) -> UserAccounts {
    var limits = EngineLimits()
    change(&limits)
    return UserAccounts(limits)
  }

  /// Reserves calls one by one, as many as the user may have.
  private func fill(_ accounts: UserAccounts, _ user: UInt32) -> [Reservation] {
    var reservations: [Reservation] = []
    while let reservation = try? accounts.reserve(UserAccount(queuedCalls: 1), for: user) {
      reservations.append(reservation)
    }
    return reservations
  }

  @Test func eachUserTakesHalfOfWhatIsLeft() {
    let accounts = accounts { $0.queuedCalls = 1000 }
    var first = fill(accounts, 1)
    let second = fill(accounts, 2)
    let third = fill(accounts, 3)
    #expect(first.count == 500)
    #expect(second.count == 250)
    #expect(third.count == 125)
    // Calls that one user returns are for the first to come.
    first = []
    let fourth = fill(accounts, 4)
    #expect(fourth.count == 313)
    #expect(accounts.total == UserAccount(queuedCalls: 250 + 125 + 313))
    withExtendedLifetime((first, second, third, fourth)) {}
  }

  /// Applies to messages that wait for a worker, and frames that wait in their streams.
  @Test(arguments: [false, true])
  func firstReservationMayExceedTheUsersShare(frames: Bool) throws {
    let accounts = accounts { $0.queuedBytes = 100 }
    func reserve(_ amount: Int, for user: UInt32) throws(Status) -> Reservation {
      try accounts.reserve(
        frames ? UserAccount(frameBytes: amount) : UserAccount(queuedBytes: amount), for: user)
    }
    _ = try reserve(100, for: 1)
    let status = #expect(throws: Status.self) { _ = try reserve(101, for: 1) }
    #expect(status?.code == .resourceExhausted)
    #expect(status?.detail == .limit("queued_bytes"))
    var most: Reservation? = try reserve(90, for: 1)
    #expect(throws: Status.self) { _ = try reserve(1, for: 1) }
    _ = try reserve(10, for: 2)
    #expect(throws: Status.self) { _ = try reserve(11, for: 2) }
    #expect(most != nil)
    most = nil
    _ = try reserve(100, for: 2)
    #expect(accounts.total == UserAccount())
    let one = self.accounts { $0.queuedCalls = 1 }
    #expect(throws: Never.self) { _ = try one.reserve(UserAccount(queuedCalls: 1), for: 3) }
  }

  /// The limited resources are also limited per user.
  @Test func totalOfAllUsersIsBounded() throws {
    let accounts = accounts { limits in
      (limits.checks, limits.mappedBytes, limits.incomingBytes) = (4, 400, 40)
    }
    let most = UserAccount(checks: 2, mappedBytes: 200, incomingBytes: 20)
    let first = try accounts.reserve(most, for: 1)
    for (amounts, limit) in [
      (UserAccount(checks: 1), "checks"), (UserAccount(mappedBytes: 1), "mapped_bytes"),
      (UserAccount(incomingBytes: 1), "incoming_bytes"),
    ] {
      let status = #expect(throws: Status.self) { _ = try accounts.reserve(amounts, for: 1) }
      #expect(status?.code == .resourceExhausted)
      #expect(status?.detail == .limit(limit))
    }
    let second = try accounts.reserve(most, for: 2)
    #expect(throws: Status.self) { _ = try accounts.reserve(UserAccount(checks: 1), for: 3) }
    withExtendedLifetime((first, second)) {}
  }

  @Test func refusedReservationsAreNotCounted() throws {
    let accounts = accounts { limits in
      limits.mappedBytesPerUser = 100
      limits.checksPerUser = 1
      limits.queuedBytes = 10
    }
    let held = try accounts.reserve(UserAccount(checks: 1, mappedBytes: 60), for: 1)
    for (amounts, limit) in [
      (UserAccount(mappedBytes: 41), "mapped_bytes_per_user"), (UserAccount(checks: 1), "checks_per_user"),
      (UserAccount(queuedCalls: 1, queuedBytes: 11), "queued_bytes"),
    ] {
      let status = #expect(throws: Status.self) { _ = try accounts.reserve(amounts, for: 1) }
      #expect(status?.detail == .limit(limit))
    }
    // For another user the same amounts are allowed.
    let other = try accounts.reserve(UserAccount(checks: 1, mappedBytes: 100), for: 2)
    #expect(accounts.total == UserAccount(checks: 2, mappedBytes: 160))
    withExtendedLifetime((held, other)) {}
  }
}
