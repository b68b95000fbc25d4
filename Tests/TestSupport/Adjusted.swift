/// A copy of a value, such as options, in which `change` has set some members.
public func adjusted<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
  var value = value
  change(&value)
  return value
}
