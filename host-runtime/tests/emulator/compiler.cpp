// A stand-in for NVRTC: "compiles" a kernel file to a shared object with the system's C++ compiler; the cubin is its path.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <unistd.h>

struct Program { std::string source, log, cubin; };

// Glue that takes the arguments of a launch: one function for every kernel.
static std::string glue(const std::string &source) {
    std::string text;
    const std::regex kernel(R"(extern "C" __global__ void __launch_bounds__\([^)]*\)\s*(\w+)\(([^)]*)\))");
    for (std::sregex_iterator it(source.begin(), source.end(), kernel), end; it != end; ++it) {
        std::string call, name = (*it)[1];
        std::stringstream parameters((*it)[2]);
        std::string parameter;
        for (int i = 0; std::getline(parameters, parameter, ','); ++i) {
            const std::string type = parameter.substr(0, parameter.rfind(' '));
            call += (i ? ", *(" : "*(") + type + " *)a[" + std::to_string(i) + "]";
        }
        text += "extern \"C\" void launch_" + name +
                "(void **a, unsigned b, unsigned t, int c) { emulator_launch(+[](void **a) { " + name + "(" + call +
                "); }, a, b, t, c); }\n";
    }
    return text;
}

extern "C" {
int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 0, 0; }
const char *nvrtcGetErrorString(int) { return "stand-in"; }
int nvrtcCreateProgram(Program **p, const char *source, const char *, int, const char *const *, const char *const *) {
    *p = new Program{source, "", ""};
    return 0;
}
int nvrtcDestroyProgram(Program **p) { return delete *p, 0; }
int nvrtcCompileProgram(Program *p, int count, const char *const *options) {
    const char *folder = std::getenv("SPA_EMULATOR");
    const std::string base = std::string(folder ? folder : "/tmp") + "/kernel-XXXXXX";
    std::string path = base;
    const int file = mkstemp(path.data());
    if (file < 0) return 7;
    close(file);
    std::ofstream(path + ".cpp") << "#include \"device.hpp\"\n" << p->source << "\n" << glue(p->source);
    // Kernels of different variants have statics of one name and several sizes: each library keeps its own.
    std::string command = std::string("g++ -std=c++17 -O1 -w -fno-gnu-unique -fPIC -shared -pthread -I") + SPA_EMULATOR_SOURCES;
    for (int i = 0; i < count; ++i)
        if (!strncmp(options[i], "-D", 2)) command += std::string(" ") + options[i];
    command += " -o " + path + ".so " + path + ".cpp >" + path + ".log 2>&1";
    const int code = std::system(command.c_str());
    std::stringstream log;
    log << std::ifstream(path + ".log").rdbuf();
    p->log = log.str();
    p->cubin = path + ".so";
    return code ? 6 : 0;
}
int nvrtcGetProgramLogSize(Program *p, size_t *n) { return *n = p->log.size() + 1, 0; }
int nvrtcGetProgramLog(Program *p, char *out) { return memcpy(out, p->log.c_str(), p->log.size() + 1), 0; }
int nvrtcGetCUBINSize(Program *p, size_t *n) { return *n = p->cubin.size() + 1, 0; }
int nvrtcGetCUBIN(Program *p, char *out) { return memcpy(out, p->cubin.c_str(), p->cubin.size() + 1), 0; }
}
