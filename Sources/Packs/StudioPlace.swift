/// A member's place in a class of the studio, how it is paid for, and what members are told.

internal import DocModel
internal import DocStore
internal import Triggers

/// Where the documents of one member and one class are.
struct StudioPlace {
  /// Nil where a message is about no class.
  let classPath: ResourcePath?
  let member: String

  init(classPath: ResourcePath?, member: String) {
    self.classPath = classPath
    self.member = member
  }

  /// The place of a document directly below a class, which is named after the member.
  init(_ belowClass: NamedFields) {
    self.init(classPath: belowClass.path.parent.parent, member: belowClass.path.lastSegment)
  }

  var classID: String? { classPath?.lastSegment }
  var profile: ResourcePath { ResourcePath(unchecked: "users").appending(member) }
  var subscription: ResourcePath { profile.appending("subscription").appending("current") }
  var booking: ResourcePath {
    (classPath ?? ResourcePath(unchecked: "classes")).appending("bookings").appending(member)
  }

  func isBooked(_ reads: TransactionReads) throws(StoreError) -> Bool {
    guard let booking = try reads.fields(booking) else { return false }
    return !booking.holds("status", "cancelled")
  }

  /// A booking as `bookings.create` of the rules wants it.
  func confirmed(_ payment: StudioPayment, at time: Timestamp) -> Fields {
    [
      "id": .string(member), "userId": .string(member), "classId": .string(classID ?? ""),
      "bookingDate": .timestamp(time), "status": .string("confirmed"), "paymentId": payment.paymentID,
      "period": payment.period,
    ]
  }
}

/// How a member pays for a place: what the booking notes of it, and the writes that go with it.
struct StudioPayment {
  var paymentID = Value.null
  var period = Value.null
  var writes: [Write] = []
}

/// What a member may have bought.
enum StudioPlan: String {
  case basic, premium, unlimited, dropIn

  /// Classes a month; 0 where nothing is counted.
  var classesLimit: Int64 {
    switch self {
    case .basic: 4
    case .premium: 8
    case .unlimited, .dropIn: 0
    }
  }

  init?(_ fields: Fields?, _ name: String) {
    guard let text = fields?.string(name) else { return nil }
    self.init(rawValue: text)
  }
}

/// The kinds of notifications that triggers write; `type` of a notification.
enum StudioMessage: String {
  case promoted = "waitlistPromoted"
  case passedOver = "waitlistPassedOver"
  case moved = "classMoved"
  case calledOff = "classCancelled"
  case bookingCancelled
  case renewed = "subscriptionRenewed"
  case ended = "subscriptionEnded"

  func title(_ subject: String) -> String {
    switch self {
    case .promoted: "You have a place in \(subject)"
    case .passedOver: "You no longer wait for \(subject)"
    case .moved: "\(subject) has moved"
    case .calledOff: "\(subject) does not take place"
    case .bookingCancelled: "Your booking of \(subject) is cancelled"
    case .renewed: "Your subscription goes on"
    case .ended: "Your subscription has ended"
    }
  }

  func text(_ subject: String, at time: Timestamp?) -> String {
    let moment = time.map { time in
      let text = time.rfc3339
      return "on \(text.prefix(10)) at \(text.dropFirst(11).prefix(5)) UTC"
    }
    return switch self {
    case .promoted: "A place came free. It begins \(moment ?? "soon")."
    case .passedOver: "A place came free, but your plan does not pay for it."
    case .moved: "It begins \(moment ?? "at another time") now."
    case .calledOff, .bookingCancelled: "What you paid for it comes back to you."
    case .renewed: "\(subject) goes on until \(time.map { String($0.rfc3339.prefix(10)) } ?? "you end it")."
    case .ended: "\(subject) has come to its end. Choose a plan to book classes."
    }
  }
}
