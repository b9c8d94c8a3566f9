import Quill from "quill"
import "quill/dist/quill.snow.css"
app.innerHTML = `<div id=e></div>`
const q = new Quill("#e", { theme: "snow" })
q.root.setAttribute("aria-label", "Note")
window.state = () => ({ note: q.getText().trim() })
