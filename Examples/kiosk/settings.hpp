/* The program's options. */
#pragma once

#include <algorithm>
#include <face_engine.hpp>
#include <glib.h>
#include <sstream>

struct settings {
  char *model = nullptr, *socket = nullptr, *camera = nullptr, *save = nullptr, *languages = nullptr;
  char *texts = nullptr, *screenshot = nullptr, *shots = nullptr, **frames = nullptr;
  std::vector<face_action> actions;
  double fps = 0, hold = 2, timeout = 30, width = 1280, height = 720;
  int large_type = 0, high_contrast = 0, mute = 0, full_screen = 0, once = 0, every = 0, trace = 0;
};

/* The parts of a list that commas separate. */
inline std::vector<std::string> split(const char *list)
{
  std::vector<std::string> parts;
  std::istringstream rest(list == nullptr ? "" : list);
  for (std::string part; std::getline(rest, part, ',');) parts.push_back(part);
  return parts;
}

/* Returns the options as they were asked for; throws std::invalid_argument with what is wrong, and the usage. */
inline settings parse(int argc, char **argv)
{
  settings asked;
  char *actions = nullptr;
  const auto text = G_OPTION_ARG_FILENAME, number = G_OPTION_ARG_DOUBLE;
  const auto flag = G_OPTION_ARG_NONE, rest = G_OPTION_ARG_FILENAME_ARRAY;
  const GOptionEntry entries[] = {
      {"model", 0, 0, text, &asked.model, "run the engine in this program", "DIR"},
      {"connect", 0, 0, text, &asked.socket, "call a running engine", "SOCKET"},
      {"camera", 0, 0, text, &asked.camera, "a command that writes frames, started again whenever it ends", "COMMAND"},
      {"fps", 0, 0, number, &asked.fps, "the frames are a clip's: show so many a second", "NUMBER"},
      {"actions", 0, 0, text, &actions, "in random order, as in blink,turn-left,smile", "LIST"},
      {"hold", 0, 0, number, &asked.hold, "how long the face has to be right, default 2", "SECONDS"},
      {"timeout", 0, 0, number, &asked.timeout, "how long a check may take, default 30", "SECONDS"},
      {"save", 0, 0, text, &asked.save, "save accepted pictures as PNG; %Y%m%d-%H%M%S and so on become the time",
       "FILE"},
      {"language", 0, 0, text, &asked.languages, "to choose from, as in en,de,fr,es,ar,ja; default en", "LIST"},
      {"texts", 0, 0, text, &asked.texts, "where they are, default: texts beside the program", "FOLDER"},
      {"large-type", 0, 0, flag, &asked.large_type, "letters a third larger", nullptr},
      {"high-contrast", 0, 0, flag, &asked.high_contrast, "black, white and a thicker ring", nullptr},
      {"mute", 0, 0, flag, &asked.mute, "no sound", nullptr},
      {"full-screen", 0, 0, flag, &asked.full_screen, "no window frame, all of the screen", nullptr},
      {"width", 0, 0, number, &asked.width, "of the window, default 1280", "NUMBER"},
      {"height", 0, 0, number, &asked.height, "of the window, default 720", "NUMBER"},
      {"once", 0, 0, flag, &asked.once, "accept the first picture and end; exit code 1 if there was none", nullptr},
      {"every", 0, 0, flag, &asked.every, "check and show every frame of a clip, by its own time", nullptr},
      {"trace", 0, 0, flag, &asked.trace, "print states and tips, and at the end what drawing took", nullptr},
      {"screenshot", 0, 0, text, &asked.screenshot, "save the window as PNG at the end", "FILE"},
      {"shots", 0, 0, text, &asked.shots, "save each kind of screen as PNG when it is shown", "FOLDER"},
      {G_OPTION_REMAINING, 0, 0, rest, &asked.frames, "a file of frames, else standard input", "[FRAMES.ppm]"},
      {}};
  const face::owned<GOptionContext, g_option_context_free> context(g_option_context_new(nullptr));
  g_option_context_add_main_entries(context.get(), entries, nullptr);
  GError *error = nullptr;
  std::string wrong;
  g_option_context_parse(context.get(), &argc, &argv, &error);
  for (const double given : {asked.hold, asked.timeout, asked.width, asked.height, asked.fps == 0 ? 1 : asked.fps})
    if (!(given > 0 && given <= 16384)) wrong = "numbers are above 0 and at most 16384";
  if ((asked.model == nullptr) == (asked.socket == nullptr)) wrong = "one of --model and --connect is needed";
  if (asked.frames != nullptr && (asked.camera != nullptr || asked.frames[1] != nullptr)) wrong = "one source, please";
  for (std::string name : split(actions)) {
    std::replace(name.begin(), name.end(), '-', '_');
    face_action action = 1;
    while (face_action_name(action) != nullptr && name != face_action_name(action)) action++;
    if (face_action_name(action) == nullptr || asked.actions.size() == FACE_CHECK_MAX_ACTIONS)
      wrong = "no action, or too many";
    asked.actions.push_back(action);
  }
  if (error != nullptr) wrong = error->message;
  g_clear_error(&error);
  const face::owned<char, g_free> help(g_option_context_get_help(context.get(), TRUE, nullptr));
  if (!wrong.empty()) throw std::invalid_argument(wrong + "\nusage:\n" + help.get());
  return asked;
}
