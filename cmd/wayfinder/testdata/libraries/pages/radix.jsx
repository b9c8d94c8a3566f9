import { useState } from "react"
import { createRoot } from "react-dom/client"
import * as Select from "@radix-ui/react-select"
import * as Dialog from "@radix-ui/react-dialog"
import * as Slider from "@radix-ui/react-slider"
function App() {
  const [s, set] = useState({ fruit: "", name: "", volume: 50, saved: false })
  window.state = () => s
  const to = (k) => (v) => set((s) => ({ ...s, [k]: v }))
  return <div><Select.Root onValueChange={to("fruit")}><Select.Trigger aria-label="Fruit"><Select.Value placeholder="Choose" /></Select.Trigger><Select.Portal><Select.Content><Select.Viewport>{["Apple", "Banana", "Grape"].map((f) => <Select.Item key={f} value={f}><Select.ItemText>{f}</Select.ItemText></Select.Item>)}</Select.Viewport></Select.Content></Select.Portal></Select.Root>
    <Dialog.Root><Dialog.Trigger>Edit profile</Dialog.Trigger><Dialog.Portal><Dialog.Overlay /><Dialog.Content style={{ position: "fixed", top: 80 }} aria-describedby={undefined}><Dialog.Title>Profile</Dialog.Title><label>Name <input onChange={(e) => to("name")(e.target.value)} /></label><Dialog.Close onClick={() => to("saved")(true)}>Save</Dialog.Close></Dialog.Content></Dialog.Portal></Dialog.Root>
    <Slider.Root value={[s.volume]} onValueChange={([v]) => to("volume")(v)} style={{ display: "block", position: "relative", width: 200, height: 20 }}><Slider.Track><Slider.Range /></Slider.Track><Slider.Thumb aria-label="Volume" style={{ display: "block", width: 16, height: 16, background: "#333" }} /></Slider.Root></div>
}
createRoot(app).render(<App />)
