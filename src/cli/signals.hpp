// How the program ends when it is told to: SIGINT, SIGTERM, SIGHUP, and SIGPIPE (the reader of
// stdout went away) remove the temporary files and end it with status 128 + the signal's number, so
// that no report is left that nobody asked to keep.
#pragma once

namespace normcert {

// A signal that the program was started with as ignored (nohup) stays ignored; writing to a pipe
// without a reader is then an ordinary error of standard output.
void install_signal_handlers();

// From here on the four signals wait. For the last step of a run, when reports take their names:
// either all of them are there and the run has its own status, or none.
void hold_signals();

}  // namespace normcert
