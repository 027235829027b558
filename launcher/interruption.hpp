// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace berth::launcher {

/// From here on SIGINT, SIGTERM and SIGHUP end the process with one line on standard error and exit
/// code 128 + signal, without anything in between: no file is written, files that are there stay as
/// they are. Of the ranks of an MPI job only the first writes the line. A signal that is ignored
/// stays so. StopSignal takes its place where there is something to save.
void end_on_interruption();

}  // namespace berth::launcher
