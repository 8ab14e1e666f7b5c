import RulesExercise
import Testing

/// A fixed part of what the fuzzers do without end; see docs/robustness.md.
@Suite("hostile texts")
struct RulesExerciseTests {
  @Test("made and changed texts are survived, and decided the same twice", arguments: 0..<4 as Range<UInt64>)
  func texts(seed: UInt64) throws {
    let texts = RulesTexts(seed: seed)
    let exercise = RulesExercise()
    var compiled = 0
    for index in 0..<40 as Range<UInt64> {
      do throws(RulesViolation) {
        if try exercise.run(texts.text(index), isThorough: index % 8 == 0) == .compiled { compiled += 1 }
      } catch {
        Issue.record("seed \(seed), index \(index): \(error)")
      }
    }
    #expect(compiled > 0, "the evaluator was reached")
  }

  @Test("every hostile shape is survived", arguments: [100, 500])
  func shapes(size: Int) throws {
    let exercise = RulesExercise()
    for shape in HostileTexts.shapes {
      do throws(RulesViolation) {
        try exercise.run(shape.build(size), isThorough: false)
      } catch {
        Issue.record("\(shape.name): \(error)")
      }
    }
  }
}
