import { EditorState } from "prosemirror-state"
import { EditorView } from "prosemirror-view"
import { schema } from "prosemirror-schema-basic"
import { exampleSetup } from "prosemirror-example-setup"
import "prosemirror-view/style/prosemirror.css"
import "prosemirror-menu/style/menu.css"
const v = new EditorView(app, { state: EditorState.create({ schema, plugins: exampleSetup({ schema }) }), attributes: { "aria-label": "Note", role: "textbox" } })
window.state = () => ({ note: v.state.doc.textContent })
