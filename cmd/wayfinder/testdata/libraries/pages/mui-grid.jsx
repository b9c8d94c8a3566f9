import { createRoot } from "react-dom/client"
import { DataGrid, useGridApiRef } from "@mui/x-data-grid"
function App() {
  const api = useGridApiRef()
  window.state = () => ({ names: api.current.getSortedRows().map((r) => r.name), chosen: [...api.current.getSelectedRows().values()].map((r) => r.name) })
  return <div style={{ width: 600, height: 350 }}><DataGrid apiRef={api} checkboxSelection rows={[{ id: 1, name: "Teapot", price: 30 }, { id: 2, name: "Cup", price: 5 }, { id: 3, name: "Kettle", price: 60 }]} columns={[{ field: "name", headerName: "Name", editable: true, width: 200 }, { field: "price", headerName: "Price", type: "number", width: 150 }]} /></div>
}
createRoot(app).render(<App />)
