import * as FilePond from "filepond"
import "filepond/dist/filepond.css"
app.innerHTML = `<input type=file id=f>`
const p = FilePond.create(f)
window.state = () => ({ files: p.getFiles().map((f) => f.filename) })
