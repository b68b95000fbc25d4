/* A file of lines "key=text": a language's texts, or the symbols. */
#pragma once

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

class texts {
public:
  texts() = default;

  /* Reads FOLDER/NAME.txt; throws std::runtime_error if it cannot. */
  texts(const std::string &folder, const std::string &name)
  {
    const std::string path = folder + "/" + name + ".txt";
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read; --texts FOLDER says where it is");
    for (std::string line; std::getline(file, line);)
      if (const auto equals = line.find('='); line[0] != '#' && equals != line.npos)
        all_[line.substr(0, equals)] = line.substr(equals + 1);
  }

  bool has(const std::string &key) const { return all_.count(key) > 0; }
  std::string get(const std::string &key, const std::string &otherwise = "") const
  {
    return has(key) ? all_.at(key) : otherwise;
  }

private:
  std::map<std::string, std::string> all_;
};
