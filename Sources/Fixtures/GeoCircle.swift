/// Points in a circle on the globe.

internal import DocModel
internal import YAML

extension FormEvaluator {
  /// LIMIT: radius in metres; a larger circle is no longer flat enough.
  private static let metresMax = 1_000_000.0
  /// Metres of one degree of latitude on a globe of 6,371,008.8 m radius.
  private static let metresPerDegree = 111_195.08

  /// Arguments are center and metres. Points are spread evenly over the circle's area.
  ///
  /// Only additions, multiplications and divisions, which every platform rounds alike: the system's sine
  /// and cosine differ in the last digit from one library to the next.
  func geoNear(_ arguments: [Argument], _ stream: inout RandomStream, at mark: YAMLMark) throws(YAMLError)
    -> GeoPoint
  {
    let center = try center(arguments[0])
    let metres = try arguments[1].number("metres is a number")
    guard metres >= 0, metres <= Self.metresMax else {
      throw arguments[1].error("metres is 0 to 1000000; found \(metres)")
    }
    let (east, north) = Self.pointInUnitCircle(&stream)
    let latitude = center.latitude + north * metres / Self.metresPerDegree
    var longitude =
      center.longitude + east * metres / (Self.metresPerDegree * Self.cosine(degrees: center.latitude))
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return GeoPoint(latitude: Self.rounded(latitude), longitude: Self.rounded(longitude))
  }

  private func center(_ argument: Argument) throws(YAMLError) -> GeoPoint {
    let center: GeoPoint
    switch argument.value {
    case .plain(.geoPoint(let point)): center = point
    case .plain(.array(let parts)):
      let arguments = parts.map { Argument(value: .plain($0), mark: argument.mark) }
      center = try Self.geoPoint(arguments, form: "center", at: argument.mark)
    case .plain, .map, .marker:
      throw argument.error("center takes [latitude, longitude]; found \(argument.value.kindName)")
    }
    guard center.latitude.magnitude <= 80 else {
      throw argument.error("the center lies between latitudes -80 and 80; found \(center.latitude)")
    }
    return center
  }

  /// Points of the square are drawn until one lies in the circle.
  private static func pointInUnitCircle(_ stream: inout RandomStream) -> (Double, Double) {
    while true {
      let x = Double(Int64(stream.next() >> 11)) / 4_503_599_627_370_496 - 1
      let y = Double(Int64(stream.next() >> 11)) / 4_503_599_627_370_496 - 1
      if x * x + y * y <= 1 { return (x, y) }
    }
  }

  /// The cosine by its power series: within 1e-15 for -80...80 degrees.
  private static func cosine(degrees: Double) -> Double {
    let angle = degrees * Double.pi / 180
    let square = angle * angle
    var term = 1.0
    var sum = 1.0
    for step in 1...12 {
      let divisor = (2 * step - 1) * (2 * step)
      term = -term * square / Double(divisor)
      sum += term
    }
    return sum
  }

  /// Six decimals: 11 centimetres.
  private static func rounded(_ degrees: Double) -> Double {
    (degrees * 1_000_000).rounded(.toNearestOrAwayFromZero) / 1_000_000
  }
}
