/// The shell's rules tests as the program connects them.

import Shell

@testable import docsh

var suiteTools: ShellTools { ShellTools(suites: .tools) }
