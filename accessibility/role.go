package accessibility

// A Role is an ARIA role in ARIA's words ("button", "heading", "textbox"), or
// one of the few that HTML-AAM, the DPUB and graphics modules add.
// The empty role and "generic" are containers without a meaning of their own.
type Role string
