package accessibility

// A Role is an ARIA role in ARIA's words ("button", "heading", "textbox"), or
// one of the few that HTML-AAM, the DPUB and graphics modules add.
// The empty role and "generic" are containers without a meaning of their own.
//
// What has no word in ARIA has Chromium's, in lower case: "text" for a text,
// "rootwebarea" for a page, "linebreak", "listmarker", "iframe", "labeltext",
// "legend", "figcaption", "abbr", "ruby", "descriptionlist",
// "disclosuretriangle" (a summary), "date", "datetime", "inputtime",
// "colorwell", "audio", "video", "canvas", "svgroot", "pluginobject",
// "embeddedobject", "layouttable" with "layouttablerow" and "layouttablecell",
// and "mathmlmath", "mathmlfraction" and so on for the parts of a formula.
type Role string
