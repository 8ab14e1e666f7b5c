/// Recorded verdicts about slashes behind paths: a division, or a path that goes on.
///
/// The official compiler's answers, in the form of `ParserVerdicts.expressions`. All texts are our own.
extension ParserVerdicts {
  static let divisions = #"""
    +E /a/b / []
    +E /a/b / [ ]
    +E /a/b / [1,2]
    +E /a/b / [][0]
    +E /a/b / [1,2][0]
    +E /a/b / [].size()
    +E /a/b / [1,2].size() == 1
    +E /a/b / [1,2] + [2]
    +E /a/b / [1,]
    +E /a/b / (1)
    +E /a/b / !true
    +E /a/b / b'x'
    -E /a/b / [1]
    -E /a/b / [1:2]
    -E /a/b / [:]
    -E /a/b / [1:]
    -E /a/b / [:1]
    -E /a/b / ['a']
    -E /a/b / [1][0]
    -E /a/b / [1].size()
    -E /a/b / [[]]
    -E /a/b / [[1,2]]
    -E /a/b / [{}]
    -E /a/b / -1
    -E /a/b / /c
    -E /a/b / /
    -E /a/b / [1] == 1
    -E /a/b / []]
    -E /a/b / [,]
    -E /a/b / [,1]
    -E /a/b / [1 2]
    -E /a/b / [1:2,3]
    -E /a/b / [1:2:3]
    -E /a/b / ()
    +E /a/b/[]
    +E /a/b/[1,2]
    +E /a/b/ []
    +E /a/$(b) / []
    +E /a/{x} / []
    +E /a/{x=**} / []
    +E /a/b.c / []
    +E exists(/a/b / [])
    +E /a/b / [] / []
    +E /a/b / [] / [1]
    +E /a/b / [1,2] / [3]
    +E /a/b[0] / []
    +E /a/b[0] / [1]
    +E x / [1]
    +E (/a/b) / [1]
    -E /a/b/[1]
    -E /a/b/[:]
    -E /a/b/
    -E / []
    -E / [1]
    -E / [1,2]
    -E /[]
    -E /[1]
    -E exists(/a/b / [1])
    """#
}
