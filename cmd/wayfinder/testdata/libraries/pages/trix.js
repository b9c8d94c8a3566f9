import "trix"
import "trix/dist/trix.css"
app.innerHTML = `<input id=n type=hidden><trix-editor input=n aria-label=Note></trix-editor>`
window.state = () => ({ note: document.querySelector("trix-editor").editor.getDocument().toString().trim() })
