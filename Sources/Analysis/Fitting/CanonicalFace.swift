/// placeholder
enum CanonicalFace {
  static let points: [(index: Int, position: SIMD3<Float>)] = [
    (33, SIMD3(-1, 0, 0)), (263, SIMD3(1, 0, 0)), (4, SIMD3(0, 0.8, -0.6)), (10, SIMD3(0, -1, -0.2)),
  ]
}
