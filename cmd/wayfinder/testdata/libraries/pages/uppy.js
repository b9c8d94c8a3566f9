import Uppy from "@uppy/core"
import Dashboard from "@uppy/dashboard"
import "@uppy/core/css/style.min.css"
import "@uppy/dashboard/css/style.min.css"
const u = new Uppy().use(Dashboard, { target: app, inline: true })
window.state = () => ({ files: u.getFiles().map((f) => f.name) })
