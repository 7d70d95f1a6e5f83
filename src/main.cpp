// Where every error ends: bad input with status 2, a defect of the program with status 4.
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/run.hpp"
#include "cli/signals.hpp"
#include "cli/standard_streams.hpp"
#include "problem/error.hpp"

namespace {

constexpr int kInputStatus = 2;
constexpr int kInternalStatus = 4;

}  // namespace

int main(int argc, char** argv) {
  using normcert::write_stderr;
  normcert::reserve_standard_streams();
  normcert::install_signal_handlers();
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    return normcert::run(words);
  } catch (const normcert::InputError& error) {
    write_stderr("normcert: error: " + std::string(error.what()) + '\n');
    return kInputStatus;
  } catch (const std::bad_alloc&) {
    write_stderr("normcert: internal error: out of memory\n");
  } catch (const std::exception& error) {
    write_stderr("normcert: internal error: " + normcert::printable(error.what()) + '\n');
  } catch (...) {
    write_stderr("normcert: internal error\n");
  }
  return kInternalStatus;
}
