import FaceCore

/// How much time of workers each user has had, and how far others have got ahead of those that wait.
struct Shares {
  private let users: Int
  private var had: [TimeSpan]
  /// The same without the short calls that started at once beside others'.
  private var charged: [TimeSpan]
  /// For a user that wants more and another one, the least lead of the other one since the first wanted more.
  private var leastLead: [TimeSpan]

  init(users: Int) {
    self.users = users
    had = Array(repeating: .zero, count: users)
    charged = had
    leastLead = Array(repeating: .zero, count: users * users)
  }

  mutating func count(_ time: TimeSpan, free: TimeSpan, of user: Int, isBacklogged: Bool) {
    had[user] += time
    charged[user] += max(.zero, time - free)
    guard isBacklogged else { return }
    for other in 0..<users {
      let place = user * users + other
      leastLead[place] = min(leastLead[place], charged[other] - had[user])
    }
  }

  /// A user wants more from now on.
  mutating func begin(_ user: Int) {
    for other in 0..<users { leastLead[user * users + other] = charged[other] - had[user] }
  }

  /// By how much `other` has got ahead since `user` wants more.
  func gain(of other: Int, over user: Int) -> TimeSpan {
    charged[other] - had[user] - leastLead[user * users + other]
  }
}
