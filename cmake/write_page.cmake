# Writes OUTPUT, a C++ file that holds FOLDER/page.html as the function FUNCTION, which HEADER declares, with {{style}},
# {{script}} and {{policy}} filled in. The policy lets nothing run but that script and that style, by their SHA-256, and
# nothing be fetched. Run as a script: cmake -DFOLDER=… -DOUTPUT=… -DFUNCTION=… -DHEADER=… -DSCRIPTS=a.js;b.js -P …

# base64(OUT HEX): the bytes that HEX spells, as the content security policy wants them (RFC 4648).
function(base64 out hex)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  string(LENGTH "${hex}" left)
  set(at 0)
  while(left GREATER 0)
    string(SUBSTRING "${hex}00" ${at} 6 three)  # SHA-256 has 32 bytes: one is missing from the last three
    math(EXPR bits "0x${three}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "(${bits} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${digit} 1 character)
      string(APPEND text ${character})
    endforeach()
    math(EXPR at "${at} + 6")
    math(EXPR left "${left} - 6")
  endwhile()
  string(LENGTH "${text}" length)
  math(EXPR length "${length} - 1")
  string(SUBSTRING "${text}" 0 ${length} text)
  set(${out} "${text}=" PARENT_SCOPE)
endfunction()

file(READ ${FOLDER}/page.html page)
file(READ ${FOLDER}/page.css style)
set(script "(() => {\n'use strict';\n")
foreach(name IN LISTS SCRIPTS)
  file(READ ${FOLDER}/${name} text)
  string(APPEND script "${text}\n")
endforeach()
string(APPEND script "})();\n")
string(TOLOWER "${script}${style}" folded)
if(folded MATCHES "</(script|style)")
  message(FATAL_ERROR "a script or style of the page would end its own element")
endif()

string(SHA256 script_hash "${script}")
string(SHA256 style_hash "${style}")
base64(script_hash ${script_hash})
base64(style_hash ${style_hash})
string(CONCAT policy "default-src 'none'; img-src data:; script-src 'sha256-${script_hash}'; "
  "style-src 'sha256-${style_hash}'; base-uri 'none'; form-action 'none'")
foreach(part policy style script)
  string(REPLACE "{{${part}}}" "${${part}}" page "${page}")
endforeach()
file(WRITE ${OUTPUT} "// Written by write_page.cmake.
#include \"${HEADER}\"

namespace rooftile {
std::string_view ${FUNCTION}() {
  return R\"embedded(${page})embedded\";
}
}  // namespace rooftile
")
