/// The system's C library under one name, whichever it is.
///
/// What needs more than a call of it, and is needed more than once, is here too: threads, locks with waiting.

#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Darwin
#endif
