internal import Rules

/// A program as a stream of pieces, between which the printer may break lines.
///
/// The builder makes the stream from the tree; the printer decides for every group whether it fits on
/// its line. The stream is flat, so neither depends on how deep a program nests.
///
/// INVARIANT: groups are numbered in the order of their opening, so those inside a group have larger
/// numbers than it.
struct Layout {
  /// One piece.
  enum Piece {
    /// A token as it is in the source.
    case token(Int32)
    /// A character that the source may not have: a semicolon.
    case mark(UInt8)
    /// One blank, unless a line begins here.
    case blank
    /// Where a group that does not fit is broken. In one that fits it is a blank, or nothing if
    /// `isSoft`.
    case line(group: Int32, isSoft: Bool, hasBlankLine: Bool)
    case hardLine(hasBlankLine: Bool)
    case open(Int32)
    case close(Int32)
    /// Two more blanks at the start of lines: always, or if the group is broken.
    case indent(group: Int32?)
    case dedent(group: Int32?)
    /// A comment that ends its line, by its place in `comments`.
    case comment(Int32)
    /// A comment that stays in its line.
    case inlineComment(Int32)
    /// A comma that the source has, shown only in a broken group.
    case lastComma(group: Int32)
  }

  /// What may be laid out on one line or on several.
  struct Group {
    enum Shape {
      /// All lines of the group are broken, or none.
      case plain
      /// A call whose last argument is a list or a map: may stay on its line while the argument is
      /// broken.
      case hugging
      /// An operator and its right operand: broken before the operator only if that helps.
      case operand
    }

    let shape: Shape
    /// It holds something that breaks lines.
    var isForced = false
    /// It does, and not only inside the argument or operand that may be broken on its own.
    var isForcedOutside = false
    /// While the builder is inside that argument or operand.
    var isInsideHugged = false
    /// The piece after the bracket that opens the hugged argument.
    var huggedFrom = 0
    /// The right operand is a list or map: never broken before the operator.
    var staysOnLine = false
    /// Its `close`.
    var end = 0
  }

  /// A comment and where it came from.
  struct Comment {
    let comment: GapComment
    /// It stood where no line may end well, so it moves.
    let isRelocated: Bool
  }

  var pieces: [Piece] = []
  var groups: [Group] = []
  var comments: [Comment] = []
}
