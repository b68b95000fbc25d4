/// Prints what each event does in each state of an RPC and of a connection of HTTP/1: `kind|state|event|next`, without a next
/// state if the event is refused. Compiled with their files by test_states.py.
func table<State: Equatable, Event>(
  _ kind: String, _ states: [State], _ events: [Event], _ apply: (inout State, Event) -> Bool
) {
  for state in states {
    for event in events {
      var next = state
      let isAllowed = apply(&next, event)
      precondition(isAllowed || next == state, "a refused event changed the state")
      print("\(kind)|\(state)|\(event)|\(isAllowed ? "\(next)" : "")")
    }
  }
}

let inputs: [GRPCCallState.Input] = [
  .arriving, .fitting, .inflating(isLast: false), .inflating(isLast: true), .ended, .told,
]
let flags = [(false, false), (false, true), (true, false), (true, true)]
let calls = inputs.flatMap { input in
  flags.map { GRPCCallState.open(input, isAsked: $0, isAnswered: $1) }
}
table(
  "call", calls + [.over],
  [
    .granted, .message(isCompressed: false), .message(isCompressed: true), .inflated, .clientEnded, .toldEnd,
    .answerBegan, .end,
  ] as [GRPCCallState.Event]
) { $0.apply($1) }

typealias Connection = HTTPConnectionState<Int>
table(
  "connection",
  [
    .idle, .receiving(isHeld: false), .receiving(isHeld: true), .refused(1), .answering, .discarding,
    .closing,
  ]
    as [Connection],
  [
    .head(isHeld: false), .head(isHeld: true), .released, .refused(1), .answeredEarly, .requestEnded,
    .answerTaken, .close,
  ] as [Connection.Event]
) { $0.apply($1) }
